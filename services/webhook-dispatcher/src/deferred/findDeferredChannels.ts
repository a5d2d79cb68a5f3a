import type { Sql } from "@sitewire/database"

export type DeferredChannel = { channel: string; paused: boolean }

const unleased = "deferred_at is not null and (lease_expires_at is null or lease_expires_at < now())"

// Jumps from channel to channel in the partial index: its cost grows with the number of channels that have deferred deliveries,
// not with the number of deliveries. `deferred_at` is in the order so that only this index provides it.
const statement = `
with recursive backlog (channel_id) as (
  (select channel_id from delivery where ${unleased} order by channel_id, deferred_at limit 1)
  union all
  select (select channel_id from delivery
           where ${unleased} and channel_id > backlog.channel_id order by channel_id, deferred_at limit 1)
    from backlog where backlog.channel_id is not null
)
select channel.id as channel, paused_at is not null as paused
  from backlog join channel on channel.id = backlog.channel_id`

/** The channels that have deferred deliveries which no dispatcher has claimed. */
export function findDeferredChannels(sql: Sql): Promise<DeferredChannel[]> {
  return sql<DeferredChannel>(statement, [], "find-backlogs")
}
