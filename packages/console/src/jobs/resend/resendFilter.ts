import { clockMarginMs, lowestDeliveryId, type ResendFilter } from "@sitewire/contracts"

export const beforeFirstId = "00000000-0000-0000-0000-000000000000"

/**
 * A condition on ids and channel, for which there is an index. Ids contain the time of their creation, so the
 * condition also selects the filter's range of time, which it widens by `clockMarginMs` because clocks may
 * differ.
 */
export function rangeOf({ channel, created_after, created_before }: ResendFilter, now: Date, after: string) {
  const from = created_after === undefined ? 0 : Date.parse(created_after) - clockMarginMs
  const lowest = lowestDeliveryId(from)
  const values = [after, lowest, lowestDeliveryId(endOf(created_before, now) + clockMarginMs)]
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
