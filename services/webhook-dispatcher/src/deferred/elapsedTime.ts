/**
 * SQL for how much of its retry period a deferred delivery has used: the time until the deferral, and the time in which
 * the channel's circuit breaker has been open since the deferral and since the last pause. The reason for the deferral is
 * no part of it: a breaker may open or close later. Expects `open_for_ms`, which is 0 if the breaker is closed.
 */
export const elapsedTime = `(coalesce(deferred_at - period_started_at, interval '0')
    + greatest(interval '0', least(now() - deferred_at, now() - channel.resumed_at,
                                   open_for_ms * interval '1 millisecond')))`
