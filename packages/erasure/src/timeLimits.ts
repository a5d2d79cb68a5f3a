export const listRefreshMs = 1_000
export const listMaxAgeMs = 5_000

/** From the check of an event to the commit of its delivery. */
export const storeMaxMs = 40_000

/** Events checked before an erasure may be stored until then, so its final pass starts later. */
export const finalPassAfterMs = listMaxAgeMs + storeMaxMs
