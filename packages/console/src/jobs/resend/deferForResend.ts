/**
 * The assignments of an update of `delivery` that sends it again: the row is deferred, and a dispatcher claims it when its
 * channel has capacity. The dispatcher assigns the attempt's number when it claims the row, so nothing that happens
 * meanwhile can make the promised attempt look like an old one. Failures begin a new retry period.
 *
 * `deferred_at` is never one that the row has had: an attempt that is under way ends only the deferral that it was claimed
 * for, and so not this one. The lease is left to that attempt. Must not be used for an erased delivery.
 */
export const deferForResend = `
    deferred_at = greatest(clock_timestamp(), delivery.deferred_at + interval '1 ms'),
    deferred_reason = 'resend', failures = 0, period_started_at = null, next_attempt_at = null,
    state = case delivery.state when 'dead' then 'pending' else delivery.state end,
    finished_at = case delivery.state when 'dead' then null else delivery.finished_at end`
