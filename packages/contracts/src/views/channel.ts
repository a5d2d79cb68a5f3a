import type { Channel, ListedChannel } from "../api/channels.ts"
import { mostDeadCounted } from "../messages/partnerMessage.ts"
import { fields } from "./view.ts"

type Shown = Channel & { signing_secret?: string; staged_secret?: string; standard_webhooks_secret?: string }

export const channelView = {
  columns: fields<ListedChannel>(
    "id",
    "health",
    ["paused_at", { as: "ago" }],
    ["dead", { as: "bad", value: ({ dead }) => (dead.count === 0 ? null : deadCount(dead.count)) }],
    ["last_error", { value: ({ last_error, last_status }) => last_status ?? last_error }],
    "address",
  ),
  facts: fields<Shown>(
    ["id", { label: "channel" }],
    "address",
    "secret_id",
    ["other_secret", { value: ({ other_secret: other }) => other && `${other.id} (${other.state})` }],
    ["other_secret_since", { value: ({ other_secret: other }) => other?.since }],
    ["other_secret's_test", { value: ({ other_secret: other }) => other?.test && testOf(other.test) }],
    ["other_secret_tested_at", { value: ({ other_secret: other }) => other?.test?.at }],
    "standard_webhooks",
    ["request_header_names", { label: "request headers" }],
    ["send_traceparent", { label: "traceparent" }],
    ["paused_at", {}],
    [
      "max_per_second",
      { label: "maximum rate", value: ({ max_per_second: max }) => max && `${max} per second` },
    ],
    "operator_notifications",
    "partner_may_change_address",
    "contact",
    "created_at",
    [
      "updated_at",
      { value: (channel) => (channel.updated_at === channel.created_at ? null : channel.updated_at) },
    ],
    "signing_secret",
    "staged_secret",
    ["standard_webhooks_secret", { label: "for standard webhooks" }],
  ),
}

/** Dead deliveries of a channel, which are counted up to a limit. */
export function deadCount(count: number): string {
  return count < mostDeadCounted ? String(count) : `${count} or more`
}

type Test = NonNullable<NonNullable<Channel["other_secret"]>["test"]>

function testOf({ status, error }: Test): string {
  return error === null ? "accepted" : `not accepted (${status ?? error})`
}
