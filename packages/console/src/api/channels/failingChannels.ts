/** A dispatcher that was not seen for longer has died. Its rows no longer count. */
export const dispatcherIsRunning = "dispatcher.seen_at > now() - interval '1 minute'"

/**
 * SQL for the ids of channels that fail: the circuit breaker is open in a running dispatcher, or a delivery that waits
 * has failed three times in a row. `and` is a further condition on `channel_id`.
 */
export function failingChannels(and = "true"): string {
  return `
  select channel_id from channel_status join dispatcher on dispatcher.id = dispatcher_id
   where breaker_opened_at is not null and ${dispatcherIsRunning} and ${and}
  union
  select channel_id from waiting_delivery where failures >= 3 and ${and}`
}
