import { beforeFirstId, clockMarginMs, lowestDeliveryId, type ResendFilter } from "@sitewire/contracts"

/** A range of time, in milliseconds since the epoch: from `fromMs` (inclusive) to `toMs` (exclusive). */
type Times = { fromMs: number; toMs: number }

/** The filter's range of time, widened by `clockMarginMs` because the clocks of ids and of Postgres may differ. */
export function timesOf({ created_after, created_before }: ResendFilter, now: Date): Times {
  return {
    fromMs: created_after === undefined ? 0 : Date.parse(created_after) - clockMarginMs,
    toMs: endOf(created_before, now) + clockMarginMs,
  }
}

/** A condition on ids, which contain the time of their creation, and on the channel. There is an index for it. */
export function rangeOf({ channel }: ResendFilter, { fromMs, toMs }: Times, after = beforeFirstId) {
  const range = "id > $after and id >= $from and id < $to"
  const values = { after, from: lowestDeliveryId(fromMs), to: lowestDeliveryId(toMs), channel }
  return { range: channel === undefined ? range : `${range} and channel_id = $channel`, values }
}

/** The exact condition on creation time and state. */
export function conditionsOf({ state, created_after, created_before }: ResendFilter, now: Date) {
  const matches = state === undefined ? "state <> 'cancelled'" : "state = $state::delivery_state"
  return {
    conditions: `created_at >= $created_after and created_at < $created_before and ${matches}`,
    values: {
      created_after: created_after ?? new Date(0),
      created_before: new Date(endOf(created_before, now)),
      state,
    },
  }
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
