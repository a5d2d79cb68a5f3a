import type { ResendFilter } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import { statesAndErrors } from "../../api/deliveries/statesAndErrors.ts"
import { beforeFirstId, conditionsOf, rangeOf } from "./resendFilter.ts"

export async function countResend(
  sql: Sql,
  filter: ResendFilter,
  now = new Date(),
): Promise<{ matching: number; leftOut: number }> {
  const { range, values } = rangeOf(filter, now, beforeFirstId)
  const { conditions, values: more } = conditionsOf(filter, now, values.length + 1)
  const all = [...values, ...more]
  // Narrows the scan to an index that only has deliveries that failed or were cancelled.
  const hasStateError = filter.state === "dead" || filter.state === "cancelled"
  const narrowed = hasStateError ? `and state_error = any($${all.length + 1}::text[])` : ""
  const [row] = await sql<{ matching: number; left_out: number }>(
    `select count(*) filter (where state <> 'erased' and channel.id is not null)::int as matching,
            count(*) filter (where state = 'erased' or channel.id is null)::int as left_out
       from (select state, channel_id from delivery where ${range} and ${conditions} ${narrowed}) as matching
       left join channel on channel.id = channel_id`,
    hasStateError ? [...all, statesAndErrors(filter.state)] : all,
  )
  return { matching: row?.matching ?? 0, leftOut: row?.left_out ?? 0 }
}
