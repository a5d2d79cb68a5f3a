import { connectionSchema, pageSchema } from "@sitewire/contracts"
import { readPages } from "../../api/readPages.ts"
import type { CliCommand } from "../../command.ts"
import { noteMore, type PageOptions, pageOptions } from "../../options/pageOptions.ts"
import { table } from "../../output/table.ts"
import { relativeTime } from "../../output/time.ts"

export const listConnections: CliCommand = {
  name: "list",
  description: "list the connections, newest first",
  options: pageOptions,
  examples: ["sitewire connection list", "sitewire connection list --all --json"],
  json: pageSchema(connectionSchema),
  async run(session, _, options: PageOptions) {
    const page = await session.callApi((client) => readPages(options, client.listConnections))
    session.print(page, ({ data }, style) =>
      data.length === 0
        ? "No connections. Create one: sitewire connection create --site HOST --source URL"
        : table(style, data, [
            { title: "ID", cell: (connection) => connection.id },
            { title: "STATE", cell: (connection) => connection.state, paint: style.state },
            {
              title: "NEXT SYNC",
              cell: ({ next_sync_at }) => (next_sync_at ? relativeTime(next_sync_at, style.now) : ""),
            },
            { title: "LAST ERROR", cell: (connection) => connection.last_error ?? "" },
            { title: "RUNNER", cell: (connection) => connection.runner },
            { title: "SITE", cell: (connection) => connection.site },
            { title: "SOURCE", cell: (connection) => connection.source },
          ]),
    )
    noteMore(session, page)
  },
}
