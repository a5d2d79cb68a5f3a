import { timingSafeEqual } from "node:crypto"
import { requireSecrets } from "../requireSecrets.ts"
import { hmac } from "./hmac.ts"

/** `secret` is the index of the secret that signed the body. */
export type Verdict =
  | { valid: true; secret: number }
  | { valid: false; reason: "missing" | "malformed" | "mismatch" }

/**
 * Checks whether one of the secrets signed exactly these bytes.
 *
 * - `body`: the raw request body, before any parsing. Text is encoded in UTF-8.
 * - `header`: the signature header as the HTTP library gives it. `undefined`, `null` and "" are missing. A
 *   list, or anything but `sha256=` and 64 lowercase hexadecimal digits, is malformed.
 * - `secrets`: during a rotation, the old and the new one. Throws a TypeError if the list or a secret is
 *   empty.
 */
export function verify({
  body,
  header,
  secrets,
}: {
  body: Uint8Array | string
  header: string | readonly string[] | null | undefined
  secrets: readonly string[]
}): Verdict {
  requireSecrets(secrets)
  if (header === undefined || header === null || header === "") return { valid: false, reason: "missing" }
  if (typeof header !== "string" || !/^sha256=[0-9a-f]{64}$/.test(header)) {
    return { valid: false, reason: "malformed" }
  }

  const claimed = Buffer.from(header.slice("sha256=".length), "hex")
  let match = -1
  for (const [index, secret] of secrets.entries()) {
    // Every secret is tried, even after a match, so that the time taken does not reveal which one matched.
    const equal = timingSafeEqual(hmac(secret, body).digest(), claimed)
    if (equal && match === -1) match = index
  }
  return match === -1 ? { valid: false, reason: "mismatch" } : { valid: true, secret: match }
}
