import type { Command } from "commander"
import { examples } from "../../examples.ts"
import { block } from "../../output/block.ts"
import type { Setup } from "../../program.ts"
import { channelEntries } from "./channelEntries.ts"

export function addChannelShow(parent: Command, { open }: Setup): void {
  parent
    .command("show")
    .description("one channel; its signing secret is never shown again")
    .argument("<channel>", "the channel's id")
    .addHelpText("after", examples("sitewire channel show acme"))
    .action(async (id: string, _options: object, command: Command) => {
      const { ask, show } = open(command)
      show(await ask((client) => client.readChannel(id)), (channel, style) =>
        block(style, channelEntries(channel, style)),
      )
    })
}
