/**
 * SQL assignments that defer a delivery for a resend, with a new retry period. They must not be applied to
 * erased deliveries.
 *
 * An attempt in flight ends only the deferral whose `deferred_at` it knows. The new value is always
 * different, so such an attempt cannot end this deferral. Its lease is left unchanged.
 */
export const deferForResend = `
    deferred_at = greatest(clock_timestamp(), delivery.deferred_at + interval '1 ms'),
    deferred_reason = 'resend', failures = 0, period_started_at = null, next_attempt_at = null,
    state = case delivery.state when 'dead' then 'pending' else delivery.state end,
    finished_at = case delivery.state when 'dead' then null else delivery.finished_at end`
