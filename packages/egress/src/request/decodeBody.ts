import { Transform } from "node:stream"
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib"

export const ACCEPT_ENCODING = "gzip, deflate, br"

/**
 * Decodes in chunks of at most 16 KiB, and only as fast as they are read: a reader that counts the bytes can
 * stop a decompression bomb.
 *
 * @param firstByte tells whether `deflate` has a zlib header, which some servers omit, and how much memory `br` needs.
 * @returns undefined if the encoding is unknown, or if there are several.
 */
export function createDecoder(encoding: string, firstByte: number): Transform | "identity" | undefined {
  switch (encoding.trim().toLowerCase()) {
    case "":
    case "identity":
      return "identity"
    case "gzip":
    case "x-gzip":
      return createGunzip()
    case "deflate":
      return (firstByte & 0x0f) === 8 ? createInflate() : createInflateRaw()
    case "br":
      return needsLargeWindow(firstByte) ? createFailingDecoder(largeWindow) : createBrotliDecompress()
    default:
      return undefined
  }
}

const largeWindow =
  "its brotli window of more than 4 MiB needs too much memory: compress with a window of at most 22 bits, or with gzip"

/**
 * Whether a brotli stream declares a window of more than 22 bits. The decoder allocates it outside of V8's heap,
 * and a few bytes can fill it. By RFC 7932, section 9.1, the lowest bits of the first byte are 1101 for 23 and 1111 for
 * 24. 0010001 is invalid there, and begins a "large window" of up to 30 bits.
 */
function needsLargeWindow(firstByte: number): boolean {
  return (firstByte & 0x0f) === 0x0d || (firstByte & 0x0f) === 0x0f || (firstByte & 0x7f) === 0x11
}

/** `reason` is the error's code, because that is what callers report. */
function createFailingDecoder(reason: string): Transform {
  const error = Object.assign(new Error(reason), { code: reason })
  return new Transform({ transform: (_chunk, _encoding, callback) => callback(error) })
}
