/**
 * The largest clock difference that is tolerated between Postgres, the dispatchers (whose clocks are in delivery ids and
 * in the times of invalid records) and publishers. A range of ids is wider than its range of time by this margin.
 */
export const clockMarginMs = 10 * 60_000
