/**
 * The clocks of Postgres, of dispatchers, which make delivery ids and the times of invalid records, and of publishers may
 * differ by this. A range of ids is this much wider than the range of time that it stands for.
 */
export const clockMarginMs = 10 * 60_000
