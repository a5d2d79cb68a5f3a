import type { Command } from "commander"
import { examples } from "../../../examples.ts"
import { block } from "../../../output/block.ts"
import type { Setup } from "../../../program.ts"
import { channelEntries } from "../channelEntries.ts"

export function addChannelSecretStage(parent: Command, { open }: Setup): void {
  parent
    .command("stage")
    .description("begin a rotation: make a new signing secret; prints it, this once")
    .argument("<channel>", "the channel's id")
    .addHelpText("after", examples("sitewire channel secret stage acme"))
    .action(async (id: string, _options: object, command: Command) => {
      const { ask, show, note } = open(command)
      show(await ask((client) => client.stageSecret(id)), (channel, style) =>
        block(style, [...channelEntries(channel, style), ["staged secret", channel.staged_secret]]),
      )
      note(
        "The staged secret is shown this once. Give it to the partner, who should accept both; then:\n" +
          `sitewire channel secret activate ${id}`,
      )
    })
}
