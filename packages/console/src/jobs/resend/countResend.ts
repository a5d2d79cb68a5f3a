import { type ResendFilter, timeOfDeliveryId } from "@sitewire/contracts"
import { named, type Sql } from "@sitewire/database"
import { statesAndErrors } from "../../deliveries/deliveryResponse.ts"
import { conditionsOf, rangeOf, type Times, timesOf } from "./resendFilter.ts"

export type ResendCount = { matching: number; leftOut: number; complete: boolean }

/**
 * A slice of time is counted by one statement. The next one is twice as long if this one was fast, and half as long
 * if it was slow, because a month can contain no delivery or millions.
 */
const firstSliceMs = 60_000
const fastMs = 200
/** A statement reads no more, because hours without a delivery may be followed by an outage with millions. */
const mostRows = 200_000

/**
 * Counts the deliveries that a resend would defer. They are counted slice by slice, because one statement for
 * millions of rows would exceed its time limit. `complete` is false if `deadlineMs` ended the count: the numbers
 * are then minimums.
 */
export async function countResend(
  sql: Sql,
  filter: ResendFilter,
  { now, deadlineMs, most = mostRows }: { now: Date; deadlineMs: number; most?: number },
): Promise<ResendCount> {
  const endsAt = performance.now() + deadlineMs
  const counted: ResendCount = { matching: 0, leftOut: 0, complete: false }
  const whole = timesOf(filter, now)
  let fromMs = await timeOfFirst(sql, filter, whole)
  for (let sliceMs = firstSliceMs; fromMs < whole.toMs; ) {
    const startedAt = performance.now()
    if (startedAt >= endsAt) return counted
    const toMs = Math.min(whole.toMs, fromMs + sliceMs)
    // A millisecond cannot be divided.
    const limit = toMs - fromMs > 1 ? most : null
    const { matching, leftOut } = await countSlice(sql, filter, { fromMs, toMs }, { now, limit })
    if (matching + leftOut === limit) {
      sliceMs = Math.ceil((toMs - fromMs) / 16)
      continue
    }
    counted.matching += matching
    counted.leftOut += leftOut
    fromMs = toMs
    sliceMs = performance.now() - startedAt < fastMs ? sliceMs * 2 : Math.max(1_000, Math.floor(sliceMs / 2))
  }
  return { ...counted, complete: true }
}

/** When the first delivery of the filter's channel and range of time was created, by its id. */
async function timeOfFirst(sql: Sql, filter: ResendFilter, times: Times): Promise<number> {
  const { range, values } = rangeOf(filter, times)
  const [first] = await sql<{ id: string }>(
    ...named(`select id from delivery where ${range} order by id limit 1`, values),
  )
  return first ? timeOfDeliveryId(first.id) : Number.POSITIVE_INFINITY
}

async function countSlice(
  sql: Sql,
  filter: ResendFilter,
  slice: Times,
  { now, limit }: { now: Date; limit: number | null },
): Promise<{ matching: number; leftOut: number }> {
  const { range, values } = rangeOf(filter, slice)
  const { conditions, values: more } = conditionsOf(filter, now)
  // Narrows the scan to an index that only has deliveries that failed or were cancelled.
  const hasStateError = filter.state === "dead" || filter.state === "cancelled"
  const narrowed = hasStateError ? "and state_error = any($state_errors::text[])" : ""
  const [row] = await sql<{ matching: number; left_out: number }>(
    ...named(
      `select count(*) filter (where state <> 'erased' and channel.id is not null)::int as matching,
              count(*) filter (where state = 'erased' or channel.id is null)::int as left_out
         from (select state, channel_id from delivery where ${range} and ${conditions} ${narrowed} limit ${limit}) as matching
         left join channel on channel.id = channel_id`,
      { ...values, ...more, state_errors: statesAndErrors(filter.state) },
    ),
  )
  return { matching: row?.matching ?? 0, leftOut: row?.left_out ?? 0 }
}
