/**
 * SQL assignments that defer a delivery, so that a dispatcher sends it again in a new retry period. They must
 * not be applied to erased deliveries.
 *
 * An attempt in flight ends a deferral only if `deferred_at` still has the value that the attempt has read.
 * The new value is always different, so such an attempt cannot end this deferral. If the attempt has a lease
 * (`lease_expires_at`), it is left unchanged, so that no second attempt starts before the lease ends.
 *
 * The update needs the condition `channelExists`.
 */
export const deferForResend = `
    deferred_at = greatest(clock_timestamp(), delivery.deferred_at + interval '1 ms'),
    deferred_reason = 'resend', dead_reason = null, failures = 0, period_started_at = null, next_attempt_at = null,
    state = case delivery.state when 'dead' then 'pending' else delivery.state end,
    finished_at = case delivery.state when 'dead' then null else delivery.finished_at end`

/**
 * Without a channel, nothing would ever claim the delivery. The lock makes a deletion of the channel wait for the
 * resend, and then find the deferred delivery.
 */
export const channelExists =
  "exists (select from channel where channel.id = delivery.channel_id for key share)"
