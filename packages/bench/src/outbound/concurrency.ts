/**
 * How many records a dispatcher may have outstanding (read, but not finished) by default. The bare loop has
 * as many requests in flight.
 */
export const concurrency = 384
