import { type ConstructEventOptions, requireOptions } from "./receiver/options.ts"
import { type RequestHeaders, readBeside, readOnce } from "./receiver/readHeader.ts"
import { secretKeys } from "./receiver/secretKeys.ts"
import { verifySitewire } from "./receiver/sitewireScheme.ts"
import { verifyStandardWebhooks } from "./receiver/standardWebhooksScheme.ts"
import type { Secrets } from "./requireSecrets.ts"
import { parseSiteReady, type SiteReady } from "./siteReady.ts"

/**
 * Verifies a delivery and returns its event.
 *
 * - `rawBody`: the bytes of the body as they were received, before anything parses them.
 * - `headers`: those of the request.
 * - `secrets`: the channel's signing secret; during a rotation, the old and the new one.
 *
 * Rejects with a WebhookError if the request is at fault. Rejects with a TypeError if the receiver is: no secret, an
 * unusable one, a body that is not bytes, or an option without meaning.
 */
export async function constructEvent(
  rawBody: Uint8Array | ArrayBuffer,
  headers: RequestHeaders,
  secrets: Secrets,
  options: ConstructEventOptions = {},
): Promise<SiteReady> {
  const keys = secretKeys(secrets)
  requireOptions(options)
  const { scheme = "sitewire", header = "X-Sitewire-Signature", ...clock } = options
  const body = toBytes(rawBody)
  if (scheme === "sitewire") await verifySitewire(body, headers, keys, header)
  else await verifyStandardWebhooks(body, headers, keys, clock)
  const delivery =
    scheme === "sitewire" ? readBeside(headers, header, "Delivery").value : readOnce(headers, "webhook-id")
  return parseSiteReady(body, delivery)
}

function toBytes(body: Uint8Array | ArrayBuffer): Uint8Array {
  // Neither of these asks for a class, because the classes of test frameworks and of frames differ.
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
  if (Object.prototype.toString.call(body) === "[object ArrayBuffer]") return new Uint8Array(body)
  throw new TypeError(
    "The body is not bytes: it was parsed, and a signature covers the raw bytes. Take them before any parser, for instance " +
      "with `await request.arrayBuffer()`, or with `express.raw({ type: () => true })` on this route.",
  )
}
