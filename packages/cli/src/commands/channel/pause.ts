import type { Command } from "commander"
import { examples } from "../../examples.ts"
import { block } from "../../output/block.ts"
import type { Setup } from "../../program.ts"
import { channelEntries } from "./channelEntries.ts"

export function addChannelPause(parent: Command, { open }: Setup): void {
  parent
    .command("pause")
    .description("pause a channel: its deliveries are deferred, and none is lost")
    .argument("<channel>", "the channel's id")
    .addHelpText("after", examples("sitewire channel pause acme"))
    .action(async (id: string, _options: object, command: Command) => {
      const { ask, show, note } = open(command)
      show(await ask((client) => client.pauseChannel(id)), (channel, style) =>
        block(style, channelEntries(channel, style)),
      )
      note(
        `Its deliveries are deferred; the pause does not count towards their retry period. End it: sitewire channel resume ${id}`,
      )
    })
}
