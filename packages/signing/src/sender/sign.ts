import { hmac } from "./hmac.ts"

/**
 * The value of the signature header: `sha256=` and the lowercase hexadecimal HMAC-SHA256 of the body's bytes.
 * Text is encoded in UTF-8. Throws a TypeError if the secret is empty.
 */
export function sign(body: Uint8Array | string, secret: string): string {
  return `sha256=${hmac(secret, body).digest("hex")}`
}
