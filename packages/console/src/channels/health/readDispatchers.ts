import { type ChannelHealth, channelHealthSchema } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import type { Prisma } from "@sitewire/database/prisma"
import { responseOf } from "../../http/responseOf.ts"
import { dispatcherIsRunning, isListed } from "../failingChannels.ts"

type Status = Pick<
  Prisma.ChannelStatusModel,
  "breaker_opened_at" | "failures" | "concurrency_limit" | "in_flight" | "average_ms"
>
type Row = Pick<Prisma.DispatcherModel, "id" | "seen_at"> & { [Name in keyof Status]: Status[Name] | null }

const dispatcherSchema = channelHealthSchema.shape.dispatchers.unwrap().element

// A dispatcher without a row for the channel reports nothing unusual about it.
const statement = `
select id, seen_at, breaker_opened_at, failures, concurrency_limit, in_flight, average_ms
  from dispatcher left join channel_status on dispatcher_id = dispatcher.id and channel_id = $1
 where ${dispatcherIsRunning} order by id`

export async function readDispatchers(
  sql: Sql,
  channel: string,
): Promise<{ failingSince: Date | null; dispatchers: ChannelHealth["dispatchers"] }> {
  const rows = await sql<Row>(statement, [channel])
  const [found] = await sql<{ since: Date }>(
    `select since from channel_failure where channel_id = $1 and ${isListed}`,
    [channel],
  )
  return {
    failingSince: found?.since ?? null,
    dispatchers: rows.map((row) => {
      const breaker = row.breaker_opened_at === null ? "closed" : "open"
      return responseOf(dispatcherSchema, { ...row, breaker, updated_at: row.seen_at })
    }),
  }
}
