import { channelSchema } from "@sitewire/contracts"
import type { CliCommand } from "../../command.ts"
import { block } from "../../output/block.ts"
import { channelEntries } from "./channelEntries.ts"

export const pauseChannel: CliCommand = {
  name: "pause",
  description: "pause a channel: its deliveries are deferred, and none is lost",
  arguments: [["<channel>", "the channel's id"]],
  examples: ["sitewire channel pause acme"],
  json: channelSchema,
  async run({ callApi, print, note }, [id]: [string]) {
    const channel = await callApi((client) => client.pauseChannel({ id }))
    print(channel, (shown, style) => block(style, channelEntries(shown, style)))
    note(
      "Its deliveries are deferred. The pause does not count towards their retry period. " +
        `To end the pause: sitewire channel resume ${id}`,
    )
  },
}
