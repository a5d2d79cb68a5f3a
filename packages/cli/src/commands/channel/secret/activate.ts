import type { Command } from "commander"
import { examples } from "../../../examples.ts"
import { block } from "../../../output/block.ts"
import type { Setup } from "../../../program.ts"
import { channelEntries } from "../channelEntries.ts"

export function addChannelSecretActivate(parent: Command, { open }: Setup): void {
  parent
    .command("activate")
    .description("sign with the staged secret from now on; the one before is retiring")
    .argument("<channel>", "the channel's id")
    .option("--secret-id <id>", "only if it is this secret; nothing is done to another")
    .addHelpText("after", examples("sitewire channel secret activate acme"))
    .action(async (id: string, { secretId }: { secretId?: string }, command: Command) => {
      const { ask, show, note } = open(command)
      show(await ask((client) => client.activateSecret(id, { secret_id: secretId })), (channel, style) =>
        block(style, channelEntries(channel, style)),
      )
      note(`Once the partner no longer needs the secret before: sitewire channel secret retire ${id}`)
    })
}
