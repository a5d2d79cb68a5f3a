import { clockMarginMs, lowestDeliveryId, type ResendFilter } from "@sitewire/contracts"

/** Lower than every delivery id. */
export const beforeFirstId = "00000000-0000-0000-0000-000000000000"

/**
 * A condition on ids and channel, for which there is an index. It limits the time, because ids contain their
 * creation time.
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

/** The exact condition on creation time and state. Its first parameter has the number `at`. */
export function conditionsOf({ state, created_after, created_before }: ResendFilter, now: Date, at: number) {
  const values: unknown[] = [created_after ?? new Date(0), new Date(endOf(created_before, now))]
  const conditions = `created_at >= $${at} and created_at < $${at + 1}`
  if (state === undefined) return { conditions, values }
  return { conditions: `${conditions} and state = $${at + 2}::delivery_state`, values: [...values, state] }
}

/** At most `now`, the job's creation. Otherwise new deliveries would match, and the job would never end. */
function endOf(createdBefore: string | undefined, now: Date): number {
  return Math.min(
    createdBefore === undefined ? Number.POSITIVE_INFINITY : Date.parse(createdBefore),
    now.getTime(),
  )
}
