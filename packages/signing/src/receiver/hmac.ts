import { concatenate } from "./concatenate.ts"

const utf8 = new TextEncoder()

/** HMAC-SHA256 (RFC 2104) of the concatenated parts. Texts are encoded in UTF-8. */
export async function hmac(
  secret: Uint8Array<ArrayBuffer>,
  ...parts: (Uint8Array | string)[]
): Promise<Uint8Array> {
  const algorithm = { name: "HMAC", hash: "SHA-256" }
  const key = await crypto.subtle.importKey("raw", secret, algorithm, false, ["sign"])
  const bytes = parts.map((part) => (typeof part === "string" ? utf8.encode(part) : part))
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, concatenate(bytes)))
}

export const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

export const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))

/** Whether two texts are equal. The time it takes depends on their lengths only. */
export function equalInConstantTime(a: string, b: string): boolean {
  let difference = a.length ^ b.length
  for (let index = 0; index < b.length; index += 1) {
    // Beyond the end, charCodeAt returns NaN, which counts as 0.
    difference |= a.charCodeAt(index) ^ b.charCodeAt(index)
  }
  return difference === 0
}
