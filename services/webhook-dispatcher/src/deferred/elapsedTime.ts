/**
 * SQL for how much of its retry period a deferred delivery has used: the time until the deferral, and the time since then in
 * which its channel could not be reached, which is counted in `unreachable_channel`. The reason for the deferral is no part
 * of it: a breaker may open or close later.
 */
export const elapsedTime = `(coalesce(deferred_at - period_started_at, interval '0')
    + interval '1 millisecond' * greatest(0, coalesce(counted_ms, 0)
        - case when unreachable_channel.since <= deferred_at then coalesce(unreachable_ms, 0) else 0 end))`
