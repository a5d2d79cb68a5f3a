/**
 * SQL for how much of its retry period a deferred delivery has used: the time until the deferral, and the time since then in
 * which its channel could not be reached, which is counted in `unreachable_channel`. The reason for the deferral is no part
 * of it: a breaker may open or close later. Neither part is negative, whatever happened to Postgres's clock.
 */
export const elapsedTime = `(greatest(interval '0', deferred_at - period_started_at)
    + interval '1 millisecond' * greatest(0, coalesce(counted_ms, 0) - coalesce(unreachable_ms, 0)))`
