import type { Command } from "commander"
import { examples } from "../../examples.ts"
import { addPageOptions, gatherPages, noteMore, type PageOptions } from "../../api/readPages.ts"
import { table } from "../../output/table.ts"
import { age } from "../../output/time.ts"
import type { Setup } from "../../program.ts"

export function addConnectionList(parent: Command, { open }: Setup): void {
  addPageOptions(parent.command("list").description("the connections, newest first"))
    .addHelpText("after", examples("sitewire connection list", "sitewire connection list --all --json"))
    .action(async (options: PageOptions, command: Command) => {
      const session = open(command)
      const page = await session.ask((client) => gatherPages(options, client.listConnections))
      session.show(page, ({ data }, style) =>
        data.length === 0
          ? "No connections. Make one: sitewire connection create --site HOST --source URL"
          : table(style, data, [
              { title: "ID", cell: (connection) => connection.id },
              { title: "STATE", cell: (connection) => connection.state, paint: style.state },
              {
                title: "NEXT SYNC",
                cell: ({ next_sync_at }) => (next_sync_at ? age(next_sync_at, style.now) : ""),
              },
              { title: "LAST ERROR", cell: (connection) => connection.last_error ?? "" },
              { title: "RUNNER", cell: (connection) => connection.runner },
              { title: "SITE", cell: (connection) => connection.site },
              { title: "SOURCE", cell: (connection) => connection.source },
            ]),
      )
      noteMore(session, page)
    })
}
