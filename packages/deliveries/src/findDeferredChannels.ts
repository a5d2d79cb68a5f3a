import type { Sql } from "@sitewire/database"
import { isFree } from "./lockWaiting.ts"

export type DeferredChannel = {
  channel: string
  paused: boolean
  /** When its oldest delivery that can be claimed was deferred: Unix time in ms, by Postgres's clock. */
  oldestMs: number
}

const unleased = `deferred_at is not null and ${isFree}`

// Jumps from channel to channel in the index of deferred deliveries, so the cost grows with the number of channels and not of
// deliveries.
const statement = `
with recursive deferred (channel_id, deferred_at) as (
  (select channel_id, deferred_at from waiting_delivery where ${unleased} order by channel_id, deferred_at limit 1)
  union all
  select next.channel_id, next.deferred_at
    from deferred cross join lateral (
      select channel_id, deferred_at from waiting_delivery
       where ${unleased} and channel_id > deferred.channel_id order by channel_id, deferred_at limit 1) as next
)
select channel.id as channel, paused_at is not null as paused, extract(epoch from deferred_at)::float8 * 1000 as "oldestMs"
  from deferred join channel on channel.id = deferred.channel_id`

export function findDeferredChannels(sql: Sql): Promise<DeferredChannel[]> {
  return sql<DeferredChannel>(statement, [], "find-deferred-channels")
}
