import type { Channel } from "@sitewire/contracts"
import type { Entry } from "../../output/block.ts"
import type { Style } from "../../output/style.ts"

export function channelEntries(channel: Channel, style: Style): Entry[] {
  const { other_secret, last_certification } = channel
  return [
    ["channel", channel.id],
    ["address", channel.address],
    ["secret id", channel.secret_id],
    [
      "other secret",
      other_secret && `${other_secret.id} (${other_secret.state} since ${style.time(other_secret.since)})`,
    ],
    ["standard webhooks", channel.standard_webhooks ? "on" : "off"],
    ["request headers", channel.request_header_names.join(", ") || null],
    ["traceparent", channel.send_traceparent ? "on" : null],
    ["paused", channel.paused_at && style.time(channel.paused_at)],
    ["maximum rate", channel.max_per_second === null ? null : `${channel.max_per_second} per second`],
    ["operator notifications", channel.operator_notifications ? "on" : null],
    ["partner may change address", channel.partner_may_change_address ? "yes" : null],
    ["contact", channel.contact],
    [
      "certification",
      last_certification &&
        `${last_certification.result} at ${style.time(last_certification.finished_at)}, of ${last_certification.address}`,
    ],
    ["created", style.time(channel.created_at)],
    ["updated", channel.updated_at === channel.created_at ? null : style.time(channel.updated_at)],
  ]
}
