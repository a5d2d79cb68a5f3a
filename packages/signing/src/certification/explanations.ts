import type { PointId } from "./points.ts"

export type Explanation = { title: string; sent: string; why: string; fix: string }

/** What a report says about each point, for the partner's developer. */
export const explanations: Record<PointId, Explanation> = {
  genuine: {
    title: "Accepts a genuine delivery",
    sent: "A delivery with fictional data, signed by the channel's active secret, exactly as site.ready is sent.",
    why: "A delivery that is not accepted is retried for hours, and is then dead: you miss a site.",
    fix: "Check that the receiver has the channel's current secret, and computes the HMAC over the raw bytes of the body, before any parsing. Save a rejected body and compare it with `sitewire verify`. Respond 2xx even if you do not know the reference `sitewire-test`, and do not redirect.",
  },
  repeated: {
    title: "Accepts the same delivery again",
    sent: "The genuine delivery once more: the same X-Sitewire-Delivery and the same bytes, with X-Sitewire-Attempt 2.",
    why: "A delivery can arrive twice, for instance if your response was lost. If you reject the second one, it is retried until it is dead.",
    fix: "Take `site_url` as the key: insert the site, or update it if you know it. A repetition then changes nothing. Do not take X-Sitewire-Delivery as the key: it is not signed. Respond 2xx.",
  },
  "forged-signature": {
    title: "Rejects a forged signature",
    sent: "A new delivery that is signed by a secret that is not yours.",
    why: "Your endpoint is public: without a correct check, anybody can report sites that nobody bought.",
    fix: "Compute the HMAC-SHA256 of the raw body by your secret, compare it with the header in constant time, and respond 401 if they differ.",
  },
  "missing-signature": {
    title: "Rejects a missing signature",
    sent: "A new delivery without a signature header.",
    why: "If a missing header is accepted, nobody needs your secret to forge a delivery.",
    fix: "Treat a missing header as an invalid signature: respond 401 before you use the body.",
  },
  "re-encoded-body": {
    title: "Verifies the raw body",
    sent: "A delivery whose JSON was written in other bytes (white space, escapes), with the signature of the original bytes.",
    why: "A signature covers bytes, not JSON. A receiver that verifies its own serialisation of the parsed body does not check what arrived, and fails as soon as its serialisation differs from the sender's.",
    fix: "Read the body as bytes before any JSON parser, verify these bytes, and parse them only afterwards.",
  },
  "previous-secret": {
    title: "Rejects the retired secret",
    sent: "A delivery that was signed by the channel's previous secret before that secret was retired.",
    why: "A secret is replaced because somebody else may know it. While the receiver accepts it, they can forge deliveries.",
    fix: "Remove the retired secret from the receiver's configuration, and restart it.",
  },
  rotation: {
    title: "Is ready for the rotation",
    sent: "A delivery that is signed by the channel's other secret, which is staged or retiring.",
    why: "During a rotation the receiver must accept both secrets. When the staged one is activated, it signs every delivery at once.",
    fix: "Add the staged secret to the receiver, so that it accepts both, before the staged one is activated. Remove the old one when the operator has retired it.",
  },
  "response-time": {
    title: "Responds in time",
    sent: "Nothing more: the time of the responses to genuine deliveries.",
    why: "A response after the time limit is a failure, although you may have processed the delivery: it is sent again.",
    fix: "Verify, store the delivery, respond 2xx, and do the work afterwards, for instance in a queue.",
  },
  burst: {
    title: "Accepts a burst",
    sent: "20 genuine deliveries at the same time (fewer if the maximum rate of the channel is lower), each with an id and a site of its own.",
    why: "After an outage, deliveries that have waited arrive together. Those that are rejected wait for a minute to an hour.",
    fix: "Do not limit the rate of this endpoint below the deliveries that are sent to you at the same time. Store and respond at once, and do the work afterwards.",
  },
  "uppercase-signature": {
    title: "Rejects uppercase hexadecimal digits",
    sent: "A new delivery whose signature is genuine, but in uppercase hexadecimal digits.",
    why: "The header is exactly `sha256=` and 64 lowercase hexadecimal digits. A receiver that accepts other forms has a check of its own that nobody else has tested.",
    fix: "Compare the header with `sha256=` and the lowercase hexadecimal HMAC as text, in constant time. Do not trim, decode or convert the header.",
  },
  "old-timestamp": {
    title: "Rejects an old timestamp",
    sent: "A new delivery with the headers of Standard Webhooks only, signed an hour ago.",
    why: "If an old time is accepted, whoever captured a request can send it again at any time.",
    fix: "If you verify `webhook-signature`: reject a `webhook-timestamp` that is more than five minutes from your clock. If you verify X-Sitewire-Signature: its header is missing here, so respond 401.",
  },
  "same-site": {
    title: "Accepts one site under several deliveries",
    sent: "A site, the same bytes under another X-Sitewire-Delivery, and the site with another name under a third.",
    why: "An event can come again under a new id, and a correction of a site is another delivery. A receiver that rejects these misses the correction, and one that inserts each has the site several times.",
    fix: "Take `site_url` as the key: insert the site, or update it if you know it (an upsert), unless X-Sitewire-Delivery is smaller than the one that you stored with it. Respond 2xx.",
  },
}
