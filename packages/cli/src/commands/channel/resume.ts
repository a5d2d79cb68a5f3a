import type { Command } from "commander"
import { examples } from "../../examples.ts"
import { block } from "../../output/block.ts"
import type { Setup } from "../../program.ts"
import { channelEntries } from "./channelEntries.ts"

export function addChannelResume(parent: Command, { open }: Setup): void {
  parent
    .command("resume")
    .description("end a channel's pause: its deferred deliveries are sent, one at a time at first")
    .argument("<channel>", "the channel's id")
    .addHelpText("after", examples("sitewire channel resume acme"))
    .action(async (id: string, _options: object, command: Command) => {
      const { ask, show, note } = open(command)
      show(await ask((client) => client.resumeChannel(id)), (channel, style) =>
        block(style, channelEntries(channel, style)),
      )
      note(`Deferred deliveries are sent now, oldest first. See them: sitewire deliveries --channel ${id}`)
    })
}
