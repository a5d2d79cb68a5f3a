import type { Command } from "commander"
import { examples } from "../../examples.ts"
import { block } from "../../output/block.ts"
import type { Setup } from "../../program.ts"
import { channelEntries } from "./channelEntries.ts"

export function addChannelSetAddress(parent: Command, { open }: Setup): void {
  parent
    .command("set-address")
    .description("change a channel's notification address; what already waits goes to the new one")
    .argument("<channel>", "the channel's id")
    .requiredOption("--address <url>", "the partner's new notification address")
    .addHelpText("after", examples("sitewire channel set-address acme --address https://partner.example/new"))
    .action(async (id: string, { address }: { address: string }, command: Command) => {
      const { ask, show } = open(command)
      show(await ask((client) => client.changeChannel(id, { address })), (channel, style) =>
        block(style, channelEntries(channel, style)),
      )
    })
}
