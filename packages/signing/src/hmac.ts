import { createHmac, type Hmac } from "node:crypto"

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

export function requireSecrets(secrets: readonly string[]): void {
  if (!Array.isArray(secrets) || secrets.length === 0) {
    throw new TypeError("No signing secret was given, so nothing can be verified. Pass the channel's secret.")
  }
  for (const secret of secrets) requireSecret(secret)
}

// HMAC accepts an empty key: if an unset variable were read as "", anyone could sign.
function requireSecret(secret: string): void {
  if (typeof secret === "string" && secret !== "") return
  throw new TypeError(
    "A signing secret is empty or not a string, so anybody could sign. Check the setting that it comes from.",
  )
}
