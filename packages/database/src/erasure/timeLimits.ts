/** When the list of erasures is older than this, it is read again in the background. */
export const listRefreshMs = 1_000
/** When the list is older than this, its users wait until it has been read again. */
export const listMaxAgeMs = 5_000

/**
 * The longest time from the check of an event against the list to the commit of its delivery: 20 s for a connection, whose password
 * may come from a program, and 32 s for the statement (`openPool`).
 */
const storeMaxMs = 60_000

/**
 * An erasure searches the stored deliveries twice. Until this long after its request, a dispatcher may store an
 * event that it checked against an older list. The second search starts after that, so that it finds the event.
 */
export const finalPassAfterMs = listMaxAgeMs + storeMaxMs
