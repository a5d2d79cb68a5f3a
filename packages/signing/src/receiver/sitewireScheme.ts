import { WebhookError } from "../webhookError.ts"
import { equalInConstantTime, hmac, toHex } from "./hmac.ts"
import { type RequestHeaders, readHeader } from "./readHeader.ts"

/** `sha256=` and the lowercase hexadecimal HMAC-SHA256 of the body, in one header. */
export async function verifySitewire(
  body: Uint8Array,
  headers: RequestHeaders,
  keys: readonly Uint8Array<ArrayBuffer>[],
  name: string,
): Promise<void> {
  const header = readHeader(headers, name)
  if (header === "") {
    throw new WebhookError(
      "missing",
      `The header ${name} is missing or empty, so nothing shows who sent the request. Respond 401. If Sitewire sent ` +
        "it, look for a proxy that removes the header.",
    )
  }
  if (typeof header !== "string" || !/^sha256=[0-9a-f]{64}$/.test(header)) {
    throw new WebhookError(
      "malformed",
      `The header ${name} is not exactly sha256= and 64 lowercase hexadecimal digits, once. Respond 401. If Sitewire ` +
        "sent it, look for what changes headers on the way.",
    )
  }
  // Every secret is tried, also after a match, so that the time taken does not reveal which one matched.
  const equal = await Promise.all(
    keys.map(async (key) => equalInConstantTime(header, `sha256=${toHex(await hmac(key, body))}`)),
  )
  if (!equal.includes(true)) {
    throw new WebhookError(
      "mismatch",
      `No secret of this receiver signed this body: the header ${name} is of another body or by another secret. ` +
        "Respond 401. If Sitewire sent it, verify the raw bytes, before anything parses them, and compare the secret.",
    )
  }
}
