import { createdChannelSchema } from "@sitewire/contracts"
import { Option } from "commander"
import type { CliCommand } from "../../command.ts"
import { maxPerSecondOption } from "../../options/maxPerSecondOption.ts"
import { operatorNotificationsOption } from "../../options/operatorNotificationsOption.ts"
import { block } from "../../output/block.ts"
import { channelEntries } from "./channelEntries.ts"

type Options = {
  address: string
  id?: string
  maxPerSecond?: number | null
  operatorNotifications?: "on" | "off"
}

export const createChannel: CliCommand = {
  name: "create",
  description: "create a channel; prints its signing secret, only this once",
  options: [
    new Option("--address <url>", "the partner's notification address (required)").makeOptionMandatory(),
    new Option("--id <id>", "an id of your choice (default: generated)"),
    maxPerSecondOption,
    operatorNotificationsOption,
  ],
  examples: ["sitewire channel create --id acme --address https://partner.example/sitewire"],
  json: createdChannelSchema,
  async run({ callApi, print, note }, _, { address, id, maxPerSecond, operatorNotifications }: Options) {
    const created = await callApi((client) =>
      client.createChannel({
        address,
        id,
        max_per_second: maxPerSecond,
        ...(operatorNotifications !== undefined && {
          operator_notifications: operatorNotifications === "on",
        }),
      }),
    )
    print(created, (channel, style) =>
      block(style, [...channelEntries(channel, style), ["signing secret", channel.signing_secret]]),
    )
    note("Store the signing secret: it is never shown again. The partner verifies signatures with it.")
  },
}
