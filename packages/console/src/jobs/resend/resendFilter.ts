import { beforeFirstId, clockMarginMs, lowestDeliveryId, type ResendFilter } from "@sitewire/contracts"

/** A range of time, in milliseconds since the epoch: from `fromMs` (inclusive) to `toMs` (exclusive). */
export type Times = { fromMs: number; toMs: number }

/** The filter's range of time, widened by `clockMarginMs` because the clocks of ids and of Postgres may differ. */
export function timesOf({ created_after, created_before }: ResendFilter, now: Date): Times {
  return {
    fromMs: created_after === undefined ? 0 : Date.parse(created_after) - clockMarginMs,
    toMs: endOf(created_before, now) + clockMarginMs,
  }
}

/** A condition on ids, which contain the time of their creation, and on the channel. There is an index for it. */
export function rangeOf({ channel }: ResendFilter, { fromMs, toMs }: Times, after = beforeFirstId) {
  const values = [after, lowestDeliveryId(fromMs), lowestDeliveryId(toMs)]
  const range = "id > $1 and id >= $2 and id < $3"
  return channel === undefined
    ? { range, values }
    : { range: `${range} and channel_id = $4`, values: [...values, channel] }
}

/** The exact condition on creation time and state. Its SQL parameters are numbered from `at`. */
export function conditionsOf({ state, created_after, created_before }: ResendFilter, now: Date, at: number) {
  const values: unknown[] = [created_after ?? new Date(0), new Date(endOf(created_before, now))]
  const conditions = `created_at >= $${at} and created_at < $${at + 1}`
  if (state === undefined) return { conditions: `${conditions} and state <> 'cancelled'`, values }
  return { conditions: `${conditions} and state = $${at + 2}::delivery_state`, values: [...values, state] }
}

/**
 * The end of the filter's range of time, but at most `now`, the time of the job's creation. Otherwise new
 * deliveries would match, and the job would never end.
 */
function endOf(createdBefore: string | undefined, now: Date): number {
  return Math.min(
    createdBefore === undefined ? Number.POSITIVE_INFINITY : Date.parse(createdBefore),
    now.getTime(),
  )
}
