/**
 * SQL for how much of its retry period a deferred delivery has used: the time until the deferral, and the time since then in
 * which its channel could not be reached, which is counted in `unreachable_channel`. The reason for the deferral is no part
 * of it: a breaker may open or close later. Neither part is negative, whatever happened to Postgres's clock.
 */
export const elapsedTime = `(greatest(interval '0', deferred_at - period_started_at)
    + interval '1 millisecond' * greatest(0, coalesce(counted_ms, 0) - coalesce(unreachable_ms, 0)))`

/**
 * SQL for the value of `unreachable_ms` when a delivery is deferred: what is counted, and what the next report adds. `channel`
 * is the SQL of its channel's id.
 */
export const unreachableUntilNow = (channel: string) =>
  `(select counted_ms + extract(epoch from greatest(interval '0', least(now() - seen_at, interval '2 minutes'))) * 1000
      from unreachable_channel where unreachable_channel.channel_id = ${channel})`
