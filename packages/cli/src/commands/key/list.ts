import { apiKeySchema, pageSchema } from "@sitewire/contracts"
import { readPages } from "../../api/readPages.ts"
import type { CliCommand } from "../../command.ts"
import { noteMore, type PageOptions, pageOptions } from "../../options/pageOptions.ts"
import { table } from "../../output/table.ts"
import { localTime, relativeTime } from "../../output/time.ts"
import { keyState } from "./keyEntries.ts"

export const listKeys: CliCommand = {
  name: "list",
  description: "list the API keys without their secret parts, newest first; also revoked and expired ones",
  options: pageOptions,
  examples: ["sitewire key list", "sitewire key list --all --json"],
  json: pageSchema(apiKeySchema),
  async run(session, _, options: PageOptions) {
    const page = await session.callApi((client) => readPages(options, client.listApiKeys))
    session.print(page, ({ data }, style) =>
      data.length === 0
        ? "No keys."
        : table(style, data, [
            { title: "ID", cell: (key) => key.id },
            { title: "STATE", cell: (key) => keyState(key, style.now), paint: style.state },
            { title: "CREATED", cell: (key) => localTime(key.created_at) },
            {
              title: "EXPIRES",
              cell: (key) => (key.expires_at ? relativeTime(key.expires_at, style.now) : ""),
            },
            {
              title: "LAST USED",
              cell: (key) => (key.last_used_at ? relativeTime(key.last_used_at, style.now) : "never"),
            },
            { title: "SCOPES", cell: (key) => key.scopes.join(", ") },
            { title: "NAME", cell: (key) => key.name },
          ]),
    )
    noteMore(session, page)
  },
}
