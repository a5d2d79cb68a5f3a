/**
 * SQL for the ids of a channel's deliveries that wait for an attempt: deferred or scheduled. `$1` is the channel's id; `and`
 * is a further condition.
 *
 * Uses partial indexes, because a channel may have millions of finished deliveries. The scheduled ones are
 * materialized, so that the plan cannot scan the channel's index for them.
 *
 * No delivery is in both branches, so that nothing has to be read before the first row is returned: with a `limit`, the
 * statement reads the scheduled deliveries of all channels only if the channel has too few deferred ones.
 */
export function waitingDeliveries(and = "true"): string {
  return `
  with scheduled as materialized (
    select id, channel_id from delivery where next_attempt_at is not null and deferred_at is null and ${and}
  )
  select id from delivery where channel_id = $1 and deferred_at is not null and ${and}
  union all
  select id from scheduled where channel_id = $1`
}
