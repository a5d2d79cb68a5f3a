import type { Command } from "commander"
import { examples } from "../../../examples.ts"
import { block } from "../../../output/block.ts"
import type { Setup } from "../../../program.ts"
import { channelEntries } from "../channelEntries.ts"

export function addChannelSecretRetire(parent: Command, { open }: Setup): void {
  parent
    .command("retire")
    .description("end a rotation: delete the retiring secret, or a staged one that is given up")
    .argument("<channel>", "the channel's id")
    .option("--secret-id <id>", "only if it is this secret; nothing is done to another")
    .addHelpText(
      "after",
      examples(
        "sitewire channel secret retire acme",
        "sitewire channel secret retire acme --secret-id sec_0f1e2d3c4b5a69788796",
      ),
    )
    .action(async (id: string, { secretId }: { secretId?: string }, command: Command) => {
      const { ask, show, note } = open(command)
      show(await ask((client) => client.retireSecret(id, { secret_id: secretId })), (channel, style) =>
        block(style, channelEntries(channel, style)),
      )
      note("One secret is left, the active one.")
    })
}
