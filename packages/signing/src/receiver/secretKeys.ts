import { requireSecret, requireSecrets, type Secrets } from "../requireSecrets.ts"

const prefix = "whsec_"

/** The HMAC key of each secret. Throws a TypeError if there is none, or one is not usable. */
export function secretKeys(secrets: Secrets): Uint8Array<ArrayBuffer>[] {
  requireSecrets(secrets)
  return secrets.map(secretKey)
}

/**
 * A secret can be in the form that libraries of Standard Webhooks take: `whsec_` and the base64 of the key. In the form that begins
 * otherwise, the key is its UTF-8.
 */
export function secretKey(secret: string): Uint8Array<ArrayBuffer> {
  requireSecret(secret)
  if (!secret.startsWith(prefix)) return new TextEncoder().encode(secret)
  const text = secret.slice(prefix.length)
  const bytes = decode(text)
  // Compared, because atob ignores white space and missing padding.
  if (bytes === "" || btoa(bytes) !== text)
    throw new TypeError(
      "A signing secret begins with whsec_, but the rest is not base64. Pass it exactly as it was shown, in either of its two forms.",
    )
  return Uint8Array.from(bytes, (byte) => byte.charCodeAt(0))
}

function decode(base64: string): string {
  try {
    return atob(base64)
  } catch {
    return ""
  }
}
