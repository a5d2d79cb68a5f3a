import { consoleSessionSchema, pageSchema } from "@sitewire/contracts"
import { Option } from "commander"
import { readPages } from "../../api/readPages.ts"
import type { CliCommand } from "../../command.ts"
import { type PageOptions, pageOptions, printPage } from "../../options/pageOptions.ts"
import { timeColumn } from "../../output/table.ts"
import { relativeTime } from "../../output/time.ts"

export const ownerOption = new Option(
  "--owner <id>",
  "only those of this API key or user; current: those of the key that this command uses",
)

export const listSessions: CliCommand = {
  name: "list",
  description: "list who is signed in to the web console, newest first",
  options: [ownerOption, ...pageOptions],
  examples: ["sitewire session list", "sitewire session list --owner key_8c1f0e --json"],
  json: pageSchema(consoleSessionSchema),
  async run(session, _, { owner, ...options }: PageOptions & { owner?: string }) {
    const page = await session.callApi((client) =>
      readPages(options, (query) => client.listSessions({ ...query, owner })),
    )
    printPage(session, page, "No sessions.", (style) => [
      { title: "ID", cell: ({ id }) => id, whole: true },
      { title: "NAME", cell: ({ owner: { name } }) => name },
      timeColumn("SIGNED IN", ({ created_at }) => created_at),
      { title: "LAST USED", cell: ({ last_used_at }) => relativeTime(last_used_at, style.now) },
      { title: "ENDS", cell: ({ expires_at }) => relativeTime(expires_at, style.now) },
      { title: "OWNER", cell: ({ owner: { id } }) => id, whole: true },
      { title: "SCOPES", cell: ({ scopes }) => scopes.join(", ") },
    ])
  },
}
