import { beforeFirstId, type ResendFilter } from "@sitewire/contracts"
import { named, type Sql } from "@sitewire/database"
import { statesAndErrors } from "../../deliveries/deliveryResponse.ts"
import { conditionsOf, rangeOf, timesOf } from "./resendFilter.ts"

type ResendCount = { matching: number; left_out: number; complete: boolean }

/** A statement reads no more rows, because each may be in another page of the table, which a slow volume reads in milliseconds. */
const mostRows = 5_000

/**
 * Counts the deliveries that a resend would defer. `complete` is false if `deadlineMs` ended the count: the numbers are then
 * minimums.
 */
export async function countResend(
  sql: Sql,
  filter: ResendFilter,
  { now, deadlineMs, most = mostRows }: { now: Date; deadlineMs: number; most?: number },
): Promise<ResendCount> {
  const endsAt = performance.now() + deadlineMs
  const counted: ResendCount = { matching: 0, left_out: 0, complete: false }
  const times = timesOf(filter, now)
  const { conditions, values: given } = conditionsOf(filter, now)
  // An index has all deliveries but those that were delivered by their first attempt.
  const narrows = filter.state !== undefined && filter.state !== "delivered"
  for (const error of narrows ? statesAndErrors(filter.state) : [null]) {
    let [after, scanned] = [beforeFirstId, most]
    while (scanned === most) {
      if (performance.now() >= endsAt) return counted
      const { range, values } = rangeOf(filter, times, after)
      const [row] = await sql<{ scanned: number; last: string | null; matching: number; left_out: number }>(
        ...named(
          `select count(*)::int as scanned, max(id::text collate "C") as last,
                  count(*) filter (where matches and not is_left_out)::int as matching,
                  count(*) filter (where matches and is_left_out)::int as left_out
             from (select delivery.id, matches, state = 'erased' or channel.id is null as is_left_out
                     from (select id, state, channel_id, ${conditions} as matches from delivery
                            where ${range} ${error === null ? "" : "and state_error = $error"}
                            order by id limit ${most}) as delivery
                     left join channel on channel.id = channel_id) as scanned`,
          { ...values, ...given, error },
        ),
      )
      counted.matching += row?.matching ?? 0
      counted.left_out += row?.left_out ?? 0
      scanned = row?.scanned ?? 0
      after = row?.last ?? after
    }
  }
  return { ...counted, complete: true }
}
