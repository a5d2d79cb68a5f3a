/**
 * A step of a statement that ends deliveries, from which their records in Kafka follow. `rows` selects the values of the
 * columns, in their order.
 */
export const insertEnded = (rows: string) => `recorded as (
  insert into ended_delivery (delivery_id, event_id, channel_id, state, attempts, since, error, status, correlation, traceparent)
  ${rows}
  on conflict do nothing
)`
