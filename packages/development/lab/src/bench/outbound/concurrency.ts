/**
 * Default of MAX_OUTSTANDING_RECORDS. The loop in bareLoop.ts, the baseline, has as many requests in flight.
 */
export const concurrency = 384
