import { type ListedChannel, lowestDeliveryId } from "@sitewire/contracts"
import { named, type Sql } from "@sitewire/database"
import type { Caller } from "../../auth/caller.ts"
import { countDead } from "../../channels/deadDeliveries.ts"
import { failingChannels } from "../../channels/failingChannels.ts"
import { errorClass } from "../../deliveries/deliveryResponse.ts"
import { statesAndErrors } from "../../deliveries/statesAndErrors.ts"
import { type ChannelRow, channelResponse } from "./channelResponse.ts"

/** Each probe reads one entry of the index of channels, states and errors. */
const newestFailures = `
select channel_id, last_error, last_status
  from unnest($ids::text[]) as listed (channel_id)
 cross join lateral (
   select found.* from unnest($states::text[]) as probe (state_error)
    cross join lateral (
      select id, last_error, last_status from delivery
       where delivery.channel_id = listed.channel_id and delivery.state_error = probe.state_error
         and id >= $after order by id desc limit 1) as found
    where last_error is not null order by id desc limit 1) as newest`

/** Channels with their health, their dead deliveries and the newest failure. */
export async function listedChannels(
  sql: Sql,
  rows: readonly ChannelRow[],
  caller: Caller,
): Promise<ListedChannel[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const failing = await sql<{ channel_id: string }>(`${failingChannels} and channel_id = any ($1::text[])`, [
    ids,
  ])
  const dead = await countDead(sql, ids)
  const failures = await sql<{ channel_id: string; last_error: string; last_status: number | null }>(
    ...named(newestFailures, {
      ids,
      after: lowestDeliveryId(Date.parse(dead[0]?.created_after ?? "")),
      states: [...statesAndErrors("pending"), ...statesAndErrors("dead")],
    }),
  )
  return rows.flatMap((row, index) => {
    const counted = dead[index]
    const failure = failures.find(({ channel_id }) => channel_id === row.id)
    if (!counted) return []
    return [
      {
        ...channelResponse(row, caller),
        health: failing.some(({ channel_id }) => channel_id === row.id)
          ? ("failing" as const)
          : ("ok" as const),
        dead: counted,
        last_error: failure ? errorClass(failure.last_error) : null,
        last_status: failure?.last_status ?? null,
      },
    ]
  })
}
