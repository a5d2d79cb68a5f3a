import { type DeadDeliveries, lowestDeliveryId } from "@sitewire/contracts"
import { mostDeadCounted } from "@sitewire/contracts/partnerMessage"
import { named, type Sql } from "@sitewire/database"
import { listedFrom } from "@sitewire/deliveries"
import { statesAndErrors } from "../deliveries/deliveryResponse.ts"
import { dayMs, minuteMs } from "../statistics/countMinute.ts"
import { floorTo } from "../statistics/readPoints.ts"

const countedMs = 7 * dayMs
const shownChannels = 20

/** In whole minutes, so that responses in a row are equal. */
const countedAfter = () => floorTo(Date.now(), minuteMs) - countedMs

export const deadCountedAfter = () => new Date(countedAfter()).toISOString()

/** Each probe reads at most `mostDeadCounted` entries of the index of channels, states and errors, of at most eight days. */
const countInChannels = `
select channel_id, (
         select count(*)::int from (
           select from unnest($states::text[]) as probe (state_error)
            cross join lateral (
              select from delivery
               where delivery.channel_id = counted.channel_id and delivery.state_error = probe.state_error
                 and id >= $after limit ${mostDeadCounted}) as found
            limit ${mostDeadCounted}) as found) as count
  from unnest($channels::text[]) as counted (channel_id)`

/** The dead deliveries of each of these channels, in their order. */
export async function countDead(sql: Sql, channels: readonly string[]): Promise<DeadDeliveries[]> {
  const after = countedAfter()
  const rows = await sql<{ channel_id: string; count: number }>(
    ...named(countInChannels, { channels, after: lowestDeliveryId(after), states: statesAndErrors("dead") }),
  )
  const counts = new Map(rows.map(({ channel_id, count }) => [channel_id, count]))
  return channels.map((id) => ({
    count: counts.get(id) ?? 0,
    created_after: new Date(after).toISOString(),
  }))
}

export async function countDeadOf(sql: Sql, channel: string): Promise<DeadDeliveries> {
  const [dead] = await countDead(sql, [channel])
  if (!dead) throw new Error("there is no count for the channel")
  return dead
}

// "offset 0" keeps Postgres from another plan: it would read all deliveries.
const countInAll = `
with newest as materialized (
  select id from unnest($2::text[]) as probe (state_error)
   cross join lateral (
     select id from delivery
      where delivery.state_error = probe.state_error and id >= $1 order by id desc limit ${mostDeadCounted}) as found
   order by id desc limit ${mostDeadCounted}
)
select channel.id, count(*)::int as count, coalesce(min(dead.finished_at), now()) as since
  from newest
 cross join lateral (select channel_id, finished_at from delivery where delivery.id = newest.id offset 0) as dead
  join channel on channel.id = dead.channel_id
 group by channel.id order by 2 desc, 1`

export type DeadOfChannel = { id: string; count: number; since: Date }

/** The channels of the newest 10,000 dead deliveries of the last 7 days, with the number of these and when the first died. */
export function readAllDead(sql: Sql, after = countedAfter()): Promise<DeadOfChannel[]> {
  return sql(countInAll, [lowestDeliveryId(after), statesAndErrors("dead")])
}

/** Those of all channels. Only the newest 10,000 decide which channels are listed. */
export async function countAllDead(sql: Sql) {
  const after = countedAfter()
  const found = await readAllDead(sql, after)
  const shown = found.slice(0, shownChannels).map(({ id }) => id)
  const counts = await countDead(sql, shown)
  const channels = shown.flatMap((channel, index) => {
    const dead = counts[index]
    return dead && dead.count > 0 ? [{ channel, ...dead }] : []
  })
  // The two statements may see different rows.
  const counted = found.length > shownChannels ? found : channels
  return {
    count: counted.reduce((sum, { count }) => sum + count, 0),
    created_after: new Date(after).toISOString(),
    channels,
  }
}

/** A dispatcher that was not seen for longer has died. Its rows no longer count. */
export const dispatcherIsRunning = "dispatcher.seen_at > now() - interval '1 minute'"

/** SQL for whether a row of `channel_failure` lists its channel as failing. */
export const isListed = `ended_at is null and failures >= ${listedFrom}`

/** SQL for the ids of channels that fail. */
export const failingChannels = `select channel_id from channel_failure where ${isListed}`
