/**
 * A step of a statement that makes deliveries dead: it records their deaths, from which the dead letters follow. `rows`
 * selects the values of the columns, in their order.
 */
export const insertDied = (rows: string) => `recorded as (
  insert into died_delivery (delivery_id, died_at, channel_id, attempts, since, error, status, correlation, traceparent)
  ${rows}
  on conflict do nothing
)`
