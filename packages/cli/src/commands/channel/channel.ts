import { openBreakerText } from "@sitewire/contracts/partnerMessage"
import { channelView } from "@sitewire/contracts/views"
import { Option } from "commander"
import type { CommandGroup } from "../../command.ts"
import { call } from "../../derive/call.ts"
import { healthBlock } from "./healthBlock.ts"
import { secret } from "./secret.ts"
import { testCommand } from "./testCommand.ts"

const showHealth = call("channel health", "readChannelHealth", {
  description: "show how deliveries to a channel go: breaker, waiting deliveries, success rate, latency",
  examples: ["sitewire channel health acme", "sitewire channel health acme --json | jq .last_failure"],
  print: healthBlock,
  note({ last_failure: failure, paused_at, dispatchers }) {
    const isOpen = paused_at === null && dispatchers?.some(({ breaker }) => breaker === "open")
    const seen = failure?.status === null ? "its last attempts" : "what the partner's server responded"
    return [
      ...(isOpen ? [openBreakerText] : []),
      ...(failure ? [`To see ${seen}: sitewire delivery show ${failure.delivery}`] : []),
    ]
  },
})

export const channel: CommandGroup = {
  name: "channel",
  description: "sales channels: where site.ready is delivered",
  commands: [
    call("channel create", "createChannel", {
      description: "create a channel; prints its signing secret, only this once",
      examples: ["sitewire channel create --id acme --address https://partner.example/sitewire"],
      print: channelView,
      note: () =>
        "Store the signing secret: it is never shown again. The partner verifies signatures with it; libraries of " +
        "Standard Webhooks take its second form.",
    }),
    call("channel list", "listChannels", {
      description: "search the channels, newest first",
      options: { health: false },
      more: [
        new Option(
          "--failing",
          "only channels with an open circuit breaker, or a delivery that failed 3 times",
        ),
      ],
      prepare: (sent, { failing }) => void (failing && Object.assign(sent, { health: "failing" })),
      examples: [
        "sitewire channel list",
        "sitewire channel list --failing",
        "sitewire channel list --search partner.example --all --json",
      ],
      none: ["No such channels.", "No channels. Create one: sitewire channel create --address URL"],
      print: channelView,
    }),
    call("channel show", "readChannel", {
      description: "show a channel, without its signing secret",
      print: channelView,
    }),
    showHealth,
    call("channel update", "changeChannel", {
      description: "change a channel; applies to pending deliveries too, from their next attempt",
      examples: [
        "sitewire channel update acme --address https://partner.example/new",
        "sitewire channel update acme --standard-webhooks on",
        "sitewire channel update acme --header-env Authorization=GATEWAY_TOKEN",
        "sitewire channel update acme --max-per-second 10",
        "sitewire channel update acme --contact webhooks@partner.example",
      ],
      print: channelView,
    }),
    call("channel change-address", "changeAddress", {
      description: "change a channel's address if the receiver there answers a challenge",
      notes:
        "The challenge is a test delivery with the header X-Sitewire-Challenge. The receiver must return it in the same header\n" +
        "of a 2xx response. A key of the channel needs an operator's permission: channel update --partner-may-change-address on.",
      examples: ["sitewire channel change-address acme --address https://partner.example/new"],
      print: channelView,
    }),
    call("channel delete", "deleteChannel", {
      description: "delete a channel with its secrets; its deliveries stay readable",
      options: { force: "also if deliveries are pending: they become dead and are not sent" },
      examples: ["sitewire channel delete acme", "sitewire channel delete acme --force --yes"],
      async confirm(client, { id, force }) {
        const { address } = await client.readChannel({ id })
        const pending = force ? " Its pending deliveries become dead." : ""
        return `Delete the channel "${id}" of ${new URL(address).host}? This cannot be undone.${pending}`
      },
      print: ({ id, pending_deliveries: pending }) =>
        pending === 0
          ? `The channel "${id}" is deleted. No delivery was pending.`
          : `The channel "${id}" is deleted. Pending deliveries: ${pending}. They are not sent any more, and are dead within about a minute.`,
      note: ({ keys }, { id }) => [
        "Later events of this channel are invalid.",
        ...keys.map(({ id: key, revoked }) =>
          revoked
            ? `The API key ${key} was for this channel only and is revoked.`
            : `The API key ${key} has lost the scope channel:${id}.`,
        ),
      ],
    }),
    call("channel pause", "pauseChannel", {
      description: "pause a channel: its deliveries are deferred, and none is lost",
      print: channelView,
      note: (_, { id }) =>
        "Its deliveries are deferred. The pause does not count towards their retry period. " +
        `To end the pause: sitewire channel resume ${id}`,
    }),
    call("channel resume", "resumeChannel", {
      description: "end a channel's pause: its deferred deliveries are sent, one at a time at first",
      print: channelView,
      note: (_, { id }) =>
        `The deferred deliveries are sent now, oldest first. To list them: sitewire delivery list --channel ${id}`,
    }),
    testCommand(
      "channel test",
      "testChannel",
      "send one delivery with fictional data, and show what came back",
    ),
    secret,
  ],
}
