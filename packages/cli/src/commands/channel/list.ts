import type { Command } from "commander"
import { examples } from "../../examples.ts"
import { addPageOptions, gatherPages, noteMore, type PageOptions } from "../../api/readPages.ts"
import { table } from "../../output/table.ts"
import { localTime } from "../../output/time.ts"
import type { Setup } from "../../program.ts"

export function addChannelList(parent: Command, { open }: Setup): void {
  addPageOptions(parent.command("list").description("the channels, newest first"))
    .addHelpText("after", examples("sitewire channel list", "sitewire channel list --all --json"))
    .action(async (options: PageOptions, command: Command) => {
      const session = open(command)
      const page = await session.ask((client) => gatherPages(options, client.listChannels))
      session.show(page, ({ data }, style) =>
        data.length === 0
          ? "No channels. Make one: sitewire channel create --address URL"
          : table(style, data, [
              { title: "ID", cell: (channel) => channel.id },
              { title: "CREATED", cell: (channel) => localTime(channel.created_at) },
              { title: "STATE", cell: (channel) => (channel.paused_at === null ? "active" : "paused") },
              { title: "ADDRESS", cell: (channel) => channel.address },
            ]),
      )
      noteMore(session, page)
    })
}
