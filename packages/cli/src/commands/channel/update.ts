import { channelSchema } from "@sitewire/contracts"
import { Option } from "commander"
import type { CliCommand } from "../../command.ts"
import { incorrectUsage } from "../../errors/failure.ts"
import { maxPerSecondOption } from "../../options/maxPerSecondOption.ts"
import { operatorNotificationsOption } from "../../options/operatorNotificationsOption.ts"
import { block } from "../../output/block.ts"
import { channelEntries } from "./channelEntries.ts"

type Options = {
  address?: string
  standardWebhooks?: "on" | "off"
  sendTraceparent?: "on" | "off"
  maxPerSecond?: number | null
  operatorNotifications?: "on" | "off"
}

export const updateChannel: CliCommand = {
  name: "update",
  description: "change a channel; applies to pending deliveries too, from their next attempt",
  arguments: [["<channel>", "the channel's id"]],
  options: [
    new Option("--address <url>", "the partner's new notification address"),
    new Option("--standard-webhooks <switch>", "whether to send Standard Webhooks headers too").choices([
      "on",
      "off",
    ]),
    new Option("--send-traceparent <switch>", "whether to send the traceparent of recorded traces").choices([
      "on",
      "off",
    ]),
    maxPerSecondOption,
    operatorNotificationsOption,
  ],
  examples: [
    "sitewire channel update acme --address https://partner.example/new",
    "sitewire channel update acme --standard-webhooks on",
    "sitewire channel update acme --max-per-second 10",
  ],
  json: channelSchema,
  async run({ callApi, print }, [id]: [string], options: Options) {
    const { address, standardWebhooks, sendTraceparent, maxPerSecond, operatorNotifications } = options
    const change = {
      ...(address !== undefined && { address }),
      ...(standardWebhooks !== undefined && { standard_webhooks: standardWebhooks === "on" }),
      ...(sendTraceparent !== undefined && { send_traceparent: sendTraceparent === "on" }),
      ...(maxPerSecond !== undefined && { max_per_second: maxPerSecond }),
      ...(operatorNotifications !== undefined && { operator_notifications: operatorNotifications === "on" }),
    }
    if (Object.keys(change).length === 0) {
      throw incorrectUsage(
        "There is nothing to change. Give --address, --standard-webhooks, --send-traceparent, --max-per-second or --operator-notifications.",
      )
    }
    const channel = await callApi((client) => client.changeChannel(id, change))
    print(channel, (shown, style) => block(style, channelEntries(shown, style)))
  },
}
