import type { Sql } from "@sitewire/database"

export type DeferredChannel = { channel: string; paused: boolean }

const unleased = "deferred_at is not null and (lease_expires_at is null or lease_expires_at < now())"

// Jumps from channel to channel in the index of deferred deliveries, so the cost grows with the number of channels and not of
// deliveries.
const statement = `
with recursive deferred (channel_id) as (
  (select channel_id from waiting_delivery where ${unleased} order by channel_id, deferred_at limit 1)
  union all
  select (select channel_id from waiting_delivery
           where ${unleased} and channel_id > deferred.channel_id order by channel_id, deferred_at limit 1)
    from deferred where deferred.channel_id is not null
)
select channel.id as channel, paused_at is not null as paused
  from deferred join channel on channel.id = deferred.channel_id`

export function findDeferredChannels(sql: Sql): Promise<DeferredChannel[]> {
  return sql<DeferredChannel>(statement, [], "find-deferred-channels")
}
