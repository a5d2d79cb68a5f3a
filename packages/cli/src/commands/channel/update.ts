import { type Command, Option } from "commander"
import { examples } from "../../examples.ts"
import { block } from "../../output/block.ts"
import type { Setup } from "../../program.ts"
import { channelEntries } from "./channelEntries.ts"

export function addChannelSet(parent: Command, { open }: Setup): void {
  parent
    .command("set")
    .description("switch what a channel's deliveries carry")
    .argument("<channel>", "the channel's id")
    .addOption(
      new Option("--standard-webhooks <switch>", "whether Standard Webhooks headers are sent too")
        .choices(["on", "off"])
        .makeOptionMandatory(),
    )
    .addHelpText("after", examples("sitewire channel set acme --standard-webhooks on"))
    .action(
      async (id: string, { standardWebhooks }: { standardWebhooks: "on" | "off" }, command: Command) => {
        const { ask, show } = open(command)
        const change = { standard_webhooks: standardWebhooks === "on" }
        show(await ask((client) => client.changeChannel(id, change)), (channel, style) =>
          block(style, channelEntries(channel, style)),
        )
      },
    )
}
