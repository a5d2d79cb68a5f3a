/** How often a list of erasures is read again. */
export const listRefreshMs = 1_000

/** No event is checked against a list whose reading began longer ago than this. */
export const listMaxAgeMs = 5_000

/** From the check of an event to the commit of its delivery: waiting for a connection, and the longest statement. */
export const storeMaxMs = 40_000

/**
 * An erasure and the storing of events do not lock each other. So an event can be checked against a list that does not
 * have the erasure yet, and be stored behind the place that the erasure has reached. This long after the erasure became
 * visible to others, no such event is left to be stored: the erasure's final pass may begin.
 */
export const finalPassAfterMs = listMaxAgeMs + storeMaxMs
