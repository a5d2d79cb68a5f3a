import type { ChangeChannel, Channel, ListedChannel } from "../api/channels.ts"
import { mostDeadCounted } from "../messages/partnerMessage.ts"
import { fields, type Input } from "./view.ts"

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
    "paused_at",
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
  form: [
    {
      name: "address",
      label: "Notification address",
      hint: "The partner's endpoint: https, on a public host. A change applies at once, also to deliveries that wait.",
      kind: "url",
      placeholder: "https://partner.example/webhooks/sitewire",
    },
    {
      name: "max_per_second",
      label: "Maximum rate",
      hint: "Attempts per second, evenly spread. Further deliveries wait.",
      kind: "number",
      max: 1_000,
      empty: "No maximum",
    },
    {
      name: "contact",
      label: "Contact",
      hint: "E-mail address of the partner. It is written to when the channel fails, and when it has recovered.",
      kind: "email",
      empty: "Nobody is written to",
      own: true,
    },
    {
      name: "standard_webhooks",
      label: "Standard Webhooks headers",
      hint: "Also sends webhook-id, webhook-timestamp and webhook-signature.",
      kind: "switch",
      own: true,
    },
    {
      name: "partner_may_change_address",
      label: "The partner may change the address",
      hint: "To one whose receiver answers a challenge. ALLOWED_RANGES does not apply to this channel then.",
      kind: "switch",
    },
  ] as readonly Input<Omit<ChangeChannel, "request_headers">>[],
}

/** Dead deliveries of a channel, which are counted up to a limit. */
export function deadCount(count: number): string {
  return count < mostDeadCounted ? String(count) : `${count} or more`
}

type Test = NonNullable<NonNullable<Channel["other_secret"]>["test"]>

function testOf({ status, error }: Test): string {
  return error === null ? "accepted" : `not accepted (${status ?? error})`
}
