import type { Channel } from "@sitewire/contracts"
import type { Style } from "./style.ts"

/** A channel as `key: value` lines. */
export function channelEntries(channel: Channel, style: Style): [string, string | null][] {
  return [
    ["channel", channel.id],
    ["address", channel.address],
    ["secret id", channel.secret_id],
    ["created", style.moment(channel.created_at)],
    ["changed", channel.updated_at === channel.created_at ? null : style.moment(channel.updated_at)],
  ]
}
