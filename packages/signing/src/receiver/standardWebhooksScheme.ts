import { WebhookError } from "../webhookError.ts"
import { equalInConstantTime, hmac, toBase64 } from "./hmac.ts"
import type { TimeOptions } from "./options.ts"
import { type RequestHeaders, readHeader } from "./readHeader.ts"

/** Standard Webhooks 1.0: HMAC-SHA256 of `<id>.<timestamp>.<content>`. */
export async function verifyStandardWebhooks(
  content: Uint8Array | string,
  headers: RequestHeaders,
  keys: readonly Uint8Array<ArrayBuffer>[],
  { toleranceSeconds = 300, now = Date.now() / 1_000 }: TimeOptions,
): Promise<void> {
  const [id, timestamp, signature] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
    readHeader(headers, name),
  )
  if (!id || !timestamp || !signature) {
    throw new WebhookError(
      "missing",
      "One of the headers webhook-id, webhook-timestamp and webhook-signature is missing or empty, so nothing shows who " +
        "sent the request. Respond 401. If Sitewire sent it, switch Standard Webhooks on for the channel.",
    )
  }
  if (
    typeof id !== "string" ||
    typeof timestamp !== "string" ||
    typeof signature !== "string" ||
    // A full stop in the id would let the same text be divided in another way.
    id.includes(".") ||
    !/^[0-9]{1,10}$/.test(timestamp) ||
    !signature.split(" ").every((part) => /^v[0-9]+[a-z]?,\S+$/.test(part))
  ) {
    throw new WebhookError(
      "malformed",
      "webhook-id has a full stop, webhook-timestamp is not 1 to 10 digits, or webhook-signature is not version,signature " +
        "separated by single spaces. Respond 401. If Sitewire sent it, look for what changes headers on the way.",
    )
  }
  if (Math.abs(now - Number(timestamp)) > toleranceSeconds) {
    throw new WebhookError(
      "outdated",
      `The signed time is more than ${toleranceSeconds} seconds from this machine's clock, so the request may have been ` +
        "captured and sent again. Respond 401. If Sitewire sent it, set this machine's clock.",
    )
  }
  // Every pair is compared, also after a match, so that the time taken does not reveal which secret matched.
  const given = signature.split(" ")
  const equal = await Promise.all(
    keys.map(async (key) => {
      const expected = `v1,${toBase64(await hmac(key, `${id}.${timestamp}.`, content))}`
      return given.map((one) => equalInConstantTime(one, expected))
    }),
  )
  if (!equal.flat().includes(true)) {
    throw new WebhookError(
      "mismatch",
      "No secret of this receiver signed this content with this id and time. Respond 401. If Sitewire sent it, verify the " +
        "raw bytes or the exact URL, and compare the secret.",
    )
  }
}
