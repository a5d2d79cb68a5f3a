import { createHmac, type Hmac } from "node:crypto"
import { requireSecret } from "../requireSecrets.ts"

/**
 * HMAC-SHA256 (RFC 2104) of the concatenated parts; the caller calls `digest`. Strings, including the secret,
 * are encoded in UTF-8, neither trimmed nor normalised.
 */
export function hmac(secret: string, ...parts: (Uint8Array | string)[]): Hmac {
  requireSecret(secret)
  const mac = createHmac("sha256", secret)
  for (const part of parts) {
    if (typeof part !== "string" && !(part instanceof Uint8Array)) {
      throw new TypeError(
        "The body is neither bytes nor text: a signature covers the raw bytes as they were received, so a body " +
          "that was parsed and serialised again does not match. Pass the raw body.",
      )
    }
    mac.update(part)
  }
  return mac
}
