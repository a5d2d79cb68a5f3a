import { channelSchema } from "@sitewire/contracts"
import { Option } from "commander"
import type { CliCommand } from "../../command.ts"
import { incorrectUsage } from "../../errors/failure.ts"
import { removeHeadersOption } from "../../options/requestHeaderOptions.ts"
import { block } from "../../output/block.ts"
import { channelEntries } from "./channelEntries.ts"
import { type ChannelOptions, channelOptions, readChannelFields } from "./channelFields.ts"

type Options = ChannelOptions & { address?: string; sendTraceparent?: "on" | "off" }

export const updateChannel: CliCommand = {
  name: "update",
  description: "change a channel; applies to pending deliveries too, from their next attempt",
  arguments: [["<channel>", "the channel's id"]],
  options: [
    new Option("--address <url>", "the partner's new notification address"),
    new Option("--send-traceparent <switch>", "whether to send the traceparent of recorded traces").choices([
      "on",
      "off",
    ]),
    ...channelOptions,
    removeHeadersOption,
  ],
  examples: [
    "sitewire channel update acme --address https://partner.example/new",
    "sitewire channel update acme --standard-webhooks on",
    "sitewire channel update acme --header-env Authorization=GATEWAY_TOKEN",
    "sitewire channel update acme --max-per-second 10",
    "sitewire channel update acme --contact webhooks@partner.example",
  ],
  json: channelSchema,
  async run(session, [id]: [string], options: Options) {
    const { address, sendTraceparent } = options
    const change = {
      ...(address !== undefined && { address }),
      ...(sendTraceparent !== undefined && { send_traceparent: sendTraceparent === "on" }),
      ...readChannelFields(session, options),
    }
    if (Object.keys(change).length === 0)
      throw incorrectUsage(
        `There is nothing to change. Give one of ${updateChannel.options?.map(({ long }) => long).join(", ")}.`,
      )
    const channel = await session.callApi((client) => client.changeChannel({ id, body: change }))
    session.print(channel, (shown, style) => block(style, channelEntries(shown, style)))
  },
}
