import type { ResendFilter } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import { beforeFirstId, conditionsOf, rangeOf } from "./resendFilter.ts"

export async function countResend(
  sql: Sql,
  filter: ResendFilter,
  now = new Date(),
): Promise<{ matching: number; leftOut: number }> {
  const { range, values } = rangeOf(filter, now, beforeFirstId)
  const { conditions, values: more } = conditionsOf(filter, now, values.length + 1)
  const [row] = await sql<{ matching: number; left_out: number }>(
    `select count(*) filter (where state <> 'erased' and channel.id is not null)::int as matching,
            count(*) filter (where state = 'erased' or channel.id is null)::int as left_out
       from (select state, channel_id from delivery where ${range} and ${conditions}) as matching
       left join channel on channel.id = channel_id`,
    [...values, ...more],
  )
  return { matching: row?.matching ?? 0, leftOut: row?.left_out ?? 0 }
}
