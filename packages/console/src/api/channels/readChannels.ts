import { type ChannelQuery, type ListedChannel, lowestDeliveryId } from "@sitewire/contracts"
import { named, type Sql } from "@sitewire/database"
import type { Caller } from "../../auth/caller.ts"
import { countDead, failingChannels } from "../../channels/deadDeliveries.ts"
import { readHealth } from "../../channels/readHealth.ts"
import { errorClass, statesAndErrors } from "../../deliveries/deliveryResponse.ts"
import { notFound } from "../../http/problems.ts"
import { ok } from "../../http/response.ts"
import { implement } from "../implement.ts"
import { listPage, matching, newestFirst } from "../pagination.ts"
import { type ChannelRow, channelColumns, channelResponse, findChannel } from "./channelResponse.ts"
import { withWholeContact } from "./contact.ts"

export const listChannels = implement("listChannels", async ({ prisma, sql }, { query, caller }) => {
  return listPage(
    query,
    {
      key: newestFirst.key,
      keyOf: newestFirst.keyOf,
      read: async (after, count) => {
        const ids = await searchChannels(sql, query, { caller, after, count })
        return prisma.channel.findMany({
          where: { id: { in: ids } },
          orderBy: newestFirst.orderBy,
          select: channelColumns,
        })
      },
    },
    (rows) => listedChannels(sql, rows, caller),
  )
})

/** Ids of matching channels below `after`, newest first. An installation has few enough channels to scan them. */
async function searchChannels(
  sql: Sql,
  query: ChannelQuery,
  { caller, after, count }: { caller: Caller; after: readonly [string, string] | undefined; count: number },
): Promise<string[]> {
  // Only the host is searched, because a path or a query may contain a credential.
  const host = "substring(address from '^https?://([^/?#]+)')"
  const where = matching(
    query,
    {
      paused: `paused_at is ${query.paused ? "not null" : "null"}`,
      health: `id ${query.health === "failing" ? "in" : "not in"} (${failingChannels})`,
      q: `(strpos(lower(id), lower($q)) > 0 or strpos(lower(${host}), lower($q)) > 0)`,
    },
    caller.channels !== "all" && "id = any($channels::text[])",
    after && "(created_at, id) < ($at::timestamptz, $id)",
  )
  const rows = await sql<{ id: string }>(
    ...named(`select id from channel where ${where} order by created_at desc, id desc limit $count`, {
      ...{ q: query.q, channels: caller.channels, at: after?.[0], id: after?.[1], count },
    }),
  )
  return rows.map(({ id }) => id)
}

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
async function listedChannels(
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

export const readChannel = implement("readChannel", async ({ prisma }, { params: { id }, caller }) => {
  const row = await findChannel(prisma, id, caller)
  return row ? ok(withWholeContact(channelResponse(row, caller), row, caller)) : notFound("channel", id)
})

export const readChannelHealth = implement(
  "readChannelHealth",
  async (context, { params: { id }, caller }) => {
    const row = await findChannel(context.prisma, id, caller)
    if (!row) return notFound("channel", id)
    const health = await readHealth(context, row)
    return ok(caller.channels === "all" ? health : { ...health, dispatchers: null })
  },
)
