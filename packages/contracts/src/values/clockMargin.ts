/**
 * The largest tolerated difference between the clocks of Postgres, publishers and dispatchers. Delivery ids
 * and invalid records contain times of these clocks. A query for a range of time therefore reads a range of
 * ids that is wider by this margin.
 */
export const clockMarginMs = 10 * 60_000
