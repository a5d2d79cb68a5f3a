import type { Channel } from "@sitewire/contracts"
import type { Entry } from "../../output/block.ts"
import type { Style } from "../../output/style.ts"

export function channelEntries(channel: Channel, style: Style): Entry[] {
  const { other_secret } = channel
  return [
    ["channel", channel.id],
    ["address", channel.address],
    ["secret id", channel.secret_id],
    [
      "other secret",
      other_secret && `${other_secret.id} (${other_secret.state} since ${style.time(other_secret.since)})`,
    ],
    ["other secret's test", other_secret?.test ? testOf(other_secret.test, style) : null],
    ["standard webhooks", channel.standard_webhooks ? "on" : "off"],
    ["request headers", channel.request_header_names.join(", ") || null],
    ["traceparent", channel.send_traceparent ? "on" : null],
    ["paused", channel.paused_at && style.time(channel.paused_at)],
    ["maximum rate", channel.max_per_second === null ? null : `${channel.max_per_second} per second`],
    ["operator notifications", channel.operator_notifications ? "on" : null],
    ["partner may change address", channel.partner_may_change_address ? "yes" : null],
    ["contact", channel.contact],
    ["created", style.time(channel.created_at)],
    ["updated", channel.updated_at === channel.created_at ? null : style.time(channel.updated_at)],
  ]
}

function testOf(
  { at, status, error }: NonNullable<NonNullable<Channel["other_secret"]>["test"]>,
  style: Style,
): string {
  return `${error === null ? "accepted" : `not accepted (${status ?? error})`}, ${style.time(at)}`
}
