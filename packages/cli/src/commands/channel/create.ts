import { createdChannelSchema } from "@sitewire/contracts"
import { Option } from "commander"
import type { CliCommand } from "../../command.ts"
import { block } from "../../output/block.ts"
import { channelEntries } from "./channelEntries.ts"
import { type ChannelOptions, channelOptions, readChannelFields } from "./channelFields.ts"

export const createChannel: CliCommand = {
  name: "create",
  description: "create a channel; prints its signing secret, only this once",
  options: [
    new Option("--address <url>", "the partner's notification address (required)").makeOptionMandatory(),
    new Option("--id <id>", "an id of your choice (default: generated)"),
    ...channelOptions,
  ],
  examples: ["sitewire channel create --id acme --address https://partner.example/sitewire"],
  json: createdChannelSchema,
  async run(session, _, options: ChannelOptions & { address: string; id?: string }) {
    const { address, id } = options
    const fields = readChannelFields(session, options)
    const created = await session.callApi((client) =>
      client.createChannel({ body: { address, id, ...fields } }),
    )
    session.print(created, (channel, style) =>
      block(style, [
        ...channelEntries(channel, style),
        ["signing secret", channel.signing_secret],
        ["for standard webhooks", channel.standard_webhooks_secret],
      ]),
    )
    session.note(
      "Store the signing secret: it is never shown again. The partner verifies signatures with it; libraries of " +
        "Standard Webhooks take its second form.",
    )
  },
}
