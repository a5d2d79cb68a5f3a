export const listRefreshMs = 1_000
export const listMaxAgeMs = 5_000

/** The longest time from the check of an event against the list to the commit of its delivery. */
export const storeMaxMs = 40_000

/**
 * An erasure scans the deliveries twice. Until this long after its request, a dispatcher may store an event
 * that it checked against an older list, so the second scan starts later.
 */
export const finalPassAfterMs = listMaxAgeMs + storeMaxMs
