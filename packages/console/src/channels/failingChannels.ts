import { listedFrom } from "@sitewire/deliveries"

/** A dispatcher that was not seen for longer has died. Its rows no longer count. */
export const dispatcherIsRunning = "dispatcher.seen_at > now() - interval '1 minute'"

/** SQL for whether a row of `channel_failure` lists its channel as failing. */
export const isListed = `ended_at is null and failures >= ${listedFrom}`

/** SQL for the ids of channels that fail. */
export const failingChannels = `select channel_id from channel_failure where ${isListed}`
