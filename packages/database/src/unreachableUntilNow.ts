/**
 * SQL for the value of `unreachable_ms` when a delivery is deferred: what is counted, and what the next report adds. `channel`
 * is the SQL of its channel's id.
 */
export const unreachableUntilNow = (channel: string) =>
  `(select counted_ms + extract(epoch from greatest(interval '0', least(now() - seen_at, interval '2 minutes'))) * 1000
      from unreachable_channel where unreachable_channel.channel_id = ${channel})`
