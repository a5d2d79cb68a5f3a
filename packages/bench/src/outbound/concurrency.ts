/** How many records a dispatcher processes at a time by default. The bare loop has as many requests in flight. */
export const concurrency = 384
