/**
 * The largest tolerated clock difference between Postgres, publishers and dispatchers, which put their time
 * into delivery ids and invalid records. A range of ids is wider than its range of time by this margin.
 */
export const clockMarginMs = 10 * 60_000
