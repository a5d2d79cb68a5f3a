import type { Transform } from "node:stream"
import { createGunzip, createInflate, createInflateRaw } from "node:zlib"

/**
 * Their windows have at most 32 KiB. 21 bytes of brotli make its decoder fill a window of 4 MiB, which a source that then stalls keeps
 * in memory until the deadline.
 */
export const ACCEPT_ENCODING = "gzip, deflate"

/**
 * Decodes in chunks of at most 16 KiB, and only as fast as they are read: a reader that counts the bytes can
 * stop a decompression bomb.
 *
 * @param firstByte tells whether `deflate` has a zlib header, which some servers omit.
 * @returns undefined if the encoding is unknown, or if there are several.
 */
export function createDecoder(encoding: string, firstByte: number): Transform | "identity" | undefined {
  switch (encoding.trim().toLowerCase()) {
    case "":
    case "identity":
    case "none":
      return "identity"
    case "gzip":
    case "x-gzip":
      return createGunzip()
    case "deflate":
      return (firstByte & 0x0f) === 8 ? createInflate() : createInflateRaw()
    default:
      return undefined
  }
}
