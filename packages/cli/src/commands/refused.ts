import type { Command } from "commander"
import { examples } from "../examples.ts"
import { addPageOptions, gatherPages, noteMore, type PageOptions } from "../gatherPages.ts"
import { table } from "../printTable.ts"
import { localTime } from "../printTime.ts"
import type { Setup } from "../program.ts"

export function addRefused(parent: Command, { open }: Setup): void {
  const refused = parent
    .command("refused")
    .description("the site.paid events that were refused, newest first")
  addPageOptions(refused)
    .addHelpText("after", examples("sitewire refused", "sitewire refused --all --json"))
    .action(async (options: PageOptions, command: Command) => {
      const session = open(command)
      const page = await session.ask((client) => gatherPages(options, client.listRefusedEvents))
      session.show(page, ({ data }, style) =>
        data.length === 0
          ? "No refused events."
          : table(style, data, [
              { title: "REFUSED", cell: (event) => localTime(event.rejected_at) },
              { title: "CHANNEL", cell: (event) => event.channel ?? "" },
              { title: "EVENT", cell: (event) => event.event_id ?? "" },
              { title: "FROM", cell: (event) => event.from },
              { title: "REASON", cell: (event) => event.reason },
              { title: "DELIVERY", cell: (event) => event.delivery ?? "" },
            ]),
      )
      noteMore(session, page)
    })
}
