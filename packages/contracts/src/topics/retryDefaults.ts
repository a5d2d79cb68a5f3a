/**
 * The default of RETRY_DELAYS: the delay before each retry. The last delay repeats until the retry period
 * ends.
 */
export const defaultRetryDelays = ["1m", "5m", "15m", "1h"] as const

export const defaultRetryPeriod = "6h"
