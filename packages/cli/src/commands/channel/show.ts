import { channelSchema } from "@sitewire/contracts"
import type { CliCommand } from "../../command.ts"
import { block } from "../../output/block.ts"
import { channelEntries } from "./channelEntries.ts"

export const showChannel: CliCommand = {
  name: "show",
  description: "show a channel, without its signing secret",
  arguments: [["<channel>", "the channel's id"]],
  examples: ["sitewire channel show acme"],
  json: channelSchema,
  async run({ callApi, print }, [id]: [string]) {
    const channel = await callApi((client) => client.readChannel({ id }))
    print(channel, (shown, style) => block(style, channelEntries(shown, style)))
  },
}
