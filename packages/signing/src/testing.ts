import { newDeliveryId } from "./newDeliveryId.ts"
import { hmac, toBase64, toHex } from "./receiver/hmac.ts"
import { secretKey } from "./receiver/secretKeys.ts"
import type { SiteReady } from "./siteReady.ts"

/** The event that `signDelivery` signs if it gets no other. */
export const exampleEvent: SiteReady = {
  event: "site.ready",
  channel: "acme",
  reference: "user-4711",
  site_url: "https://bakery.example/",
  console_url: "https://console.bakery.example/",
  name: "Bakery",
  email: "owner@bakery.example",
  created_at: "2026-03-01T12:00:00+00:00",
  delivery: "",
}

export type SignDeliveryOptions = {
  /** The delivery's id, the same on every attempt. Default: that of the event, or a new one, which is greater than those before. */
  id?: string
  /** The time of the attempt: whole seconds since 1970. Default: now. */
  timestamp?: number
  /** The number of the attempt. Default: 1. */
  attempt?: number
}

/**
 * The body and the headers of a genuine delivery, for tests of your receiver, both as `fetch` takes them.
 *
 * - `content`: fields that differ from `exampleEvent`, or a body as text or bytes.
 * - `secret`: a secret of your receiver. Rejects with a TypeError if it is empty.
 */
export async function signDelivery(
  content: Partial<SiteReady> | Uint8Array | string,
  secret: string,
  { id = idOf(content), timestamp = Math.floor(Date.now() / 1_000), attempt = 1 }: SignDeliveryOptions = {},
): Promise<{ body: Uint8Array<ArrayBuffer>; headers: Record<string, string> }> {
  const key = secretKey(secret)
  const body = toBody(content)
  return {
    body,
    headers: {
      "Content-Type": "application/json",
      "X-Sitewire-Signature": `sha256=${toHex(await hmac(key, body))}`,
      "X-Sitewire-Delivery": id,
      "X-Sitewire-Attempt": String(attempt),
      "webhook-id": id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": `v1,${toBase64(await hmac(key, `${id}.${timestamp}.`, body))}`,
    },
  }
}

function idOf(content: Partial<SiteReady> | Uint8Array | string): string {
  const delivery = typeof content === "object" && "delivery" in content ? content.delivery : ""
  return delivery || newDeliveryId()
}

function toBody(content: Partial<SiteReady> | Uint8Array | string): Uint8Array<ArrayBuffer> {
  // Not `instanceof`, because test frameworks have classes of their own.
  if (ArrayBuffer.isView(content)) return Uint8Array.from(content)
  // The delivery's id is not in its body.
  return new TextEncoder().encode(
    typeof content === "string"
      ? content
      : JSON.stringify({ ...exampleEvent, ...content, delivery: undefined }),
  )
}
