/**
 * The assignments of an update of `delivery` that requests a resend: the delivery is deferred, and a dispatcher claims it when
 * its channel has capacity. The attempt gets its number at the claim, so it is never an obsolete one. Its failure begins
 * a new retry period.
 *
 * `deferred_at` identifies the deferral and must be new: the outcome of an attempt in flight ends only the deferral for which
 * the attempt was claimed. That attempt's lease is left unchanged. Not for erased deliveries.
 */
export const deferForResend = `
    deferred_at = greatest(clock_timestamp(), delivery.deferred_at + interval '1 ms'),
    deferred_reason = 'resend', failures = 0, period_started_at = null, next_attempt_at = null,
    state = case delivery.state when 'dead' then 'pending' else delivery.state end,
    finished_at = case delivery.state when 'dead' then null else delivery.finished_at end`
