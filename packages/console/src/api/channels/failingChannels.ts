/** A dispatcher that was not seen for longer has died. Its rows no longer count. */
export const dispatcherIsRunning = "dispatcher.seen_at > now() - interval '1 minute'"

const open = `
  select channel_id from channel_status join dispatcher on dispatcher.id = dispatcher_id
   where breaker_opened_at is not null and ${dispatcherIsRunning}`
const failedThrice = "failures >= 3"

/**
 * SQL for the ids of channels that fail: the circuit breaker is open in a running dispatcher, or a delivery that waits
 * has failed three times in a row.
 */
export const failingChannels = `${open} union select channel_id from waiting_delivery where ${failedThrice}`

/** SQL for whether a channel is one of them. */
export const isFailing = (channel: string) => `exists (${open} and channel_id = ${channel}) or exists (
  select from waiting_delivery where channel_id = ${channel} and ${failedThrice})`
