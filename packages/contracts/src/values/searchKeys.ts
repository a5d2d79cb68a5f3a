import { normalizeSiteUrl } from "./normalizeSiteUrl.ts"
import { sha256 } from "./sha256.ts"

/**
 * Deliveries are searched by keys that begin with the first bytes of their ids, which contain the time, and end
 * with a digest. New keys are therefore close together in their index, and an insert finds its page in memory.
 * An index of the digests alone would read and evict a page for each insert. A search has to look up one key for
 * each period of `periodMs`, about 155 for a month.
 */
export const searchTimeBytes = 3
const periodMs = 2 ** 24
export const searchDigestBytes = 12

export function referenceDigest(reference: string): Buffer {
  return sha256(reference).subarray(0, searchDigestBytes)
}

export function siteDigest(url: string): Buffer {
  return sha256(normalizeSiteUrl(url)).subarray(0, searchDigestBytes)
}

/** The keys of all deliveries with this digest whose ids are of this time (in milliseconds, inclusive). */
export function searchKeys(digest: Buffer, { fromMs, toMs }: { fromMs: number; toMs: number }): Buffer[] {
  const last = Math.floor(toMs / periodMs)
  const keys: Buffer[] = []
  for (let period = Math.max(0, Math.floor(fromMs / periodMs)); period <= last; period++) {
    const key = Buffer.alloc(searchTimeBytes + searchDigestBytes)
    key.writeUIntBE(period, 0, searchTimeBytes)
    digest.copy(key, searchTimeBytes)
    keys.push(key)
  }
  return keys
}
