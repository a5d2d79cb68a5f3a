import type { Channel } from "@sitewire/contracts"
import type { Style } from "../../output/style.ts"

/** A channel as `key: value` lines. */
export function channelEntries(channel: Channel, style: Style): [string, string | null][] {
  const { other_secret } = channel
  return [
    ["channel", channel.id],
    ["address", channel.address],
    ["secret id", channel.secret_id],
    ["other secret", other_secret && `${other_secret.id} (${other_secret.state})`],
    ["standard webhooks", channel.standard_webhooks ? "on" : "off"],
    ["paused", channel.paused_at && style.moment(channel.paused_at)],
    ["created", style.moment(channel.created_at)],
    ["changed", channel.updated_at === channel.created_at ? null : style.moment(channel.updated_at)],
  ]
}
