import type { Transform } from "node:stream"
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib"

export const ACCEPT_ENCODING = "gzip, deflate, br"

/**
 * Makes what turns a body back into what it was, in pieces of at most 16 KiB and only as fast as they are
 * taken: whoever counts them can stop a bomb before it has grown.
 *
 * @param firstByte of the encoded body: some servers send `deflate` without the zlib header that the
 *   standard asks for, and only the first byte tells.
 * @returns "identity" if there is nothing to decode; undefined for an encoding that was not asked for, or
 *   for several on top of each other.
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
      return createBrotliDecompress()
    default:
      return undefined
  }
}
