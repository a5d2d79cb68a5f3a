import type { Command } from "commander"
import { examples } from "../../examples.ts"
import { block } from "../../output/block.ts"
import type { Setup } from "../../program.ts"
import { channelEntries } from "./channelEntries.ts"

export function addChannelCreate(parent: Command, { open }: Setup): void {
  parent
    .command("create")
    .description("make a channel; prints its signing secret, this once")
    .requiredOption("--address <url>", "the partner's notification address")
    .option("--id <id>", "an id of your choice; made for you if left out")
    .addHelpText(
      "after",
      examples("sitewire channel create --id acme --address https://partner.example/sitewire"),
    )
    .action(async (body: { address: string; id?: string }, command: Command) => {
      const { ask, show, note } = open(command)
      const created = await ask((client) => client.createChannel({ address: body.address, id: body.id }))
      show(created, (channel, style) =>
        block(style, [...channelEntries(channel, style), ["signing secret", channel.signing_secret]]),
      )
      note("The signing secret is shown this once. The partner needs it to verify what it receives.")
    })
}
