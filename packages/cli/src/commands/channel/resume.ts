import { channelSchema } from "@sitewire/contracts"
import type { CliCommand } from "../../command.ts"
import { block } from "../../output/block.ts"
import { channelEntries } from "./channelEntries.ts"

export const resumeChannel: CliCommand = {
  name: "resume",
  description: "end a channel's pause: its deferred deliveries are sent, one at a time at first",
  arguments: [["<channel>", "the channel's id"]],
  examples: ["sitewire channel resume acme"],
  json: channelSchema,
  async run({ callApi, print, note }, [id]: [string]) {
    const channel = await callApi((client) => client.resumeChannel({ id }))
    print(channel, (shown, style) => block(style, channelEntries(shown, style)))
    note(
      `The deferred deliveries are sent now, oldest first. To list them: sitewire delivery list --channel ${id}`,
    )
  },
}
