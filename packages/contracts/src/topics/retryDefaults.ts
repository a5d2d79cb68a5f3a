/**
 * The default of RETRY_DELAYS: the delay before each retry. The last delay repeats until the retry period
 * ends.
 */
export const defaultRetryDelays = ["1m", "5m", "15m", "1h"] as const

/** The default of RETRY_PERIOD: how long after its first attempt a delivery is retried. */
export const defaultRetryPeriod = "6h"
