import { apiKeySchema, pageSchema } from "@sitewire/contracts"
import { readPages } from "../../api/readPages.ts"
import type { CliCommand } from "../../command.ts"
import { type PageOptions, pageOptions, printPage } from "../../options/pageOptions.ts"
import { timeColumn } from "../../output/table.ts"
import { relativeTime } from "../../output/time.ts"
import { keyState } from "./keyEntries.ts"

export const listKeys: CliCommand = {
  name: "list",
  description: "list the API keys without their secret parts, newest first; also revoked and expired ones",
  options: pageOptions,
  examples: ["sitewire key list", "sitewire key list --all --json"],
  json: pageSchema(apiKeySchema),
  async run(session, _, options: PageOptions) {
    const page = await session.callApi((client) => readPages(options, client.listApiKeys))
    printPage(session, page, "No keys.", (style) => [
      { title: "ID", cell: (key) => key.id, whole: true },
      { title: "NAME", cell: (key) => key.name },
      { title: "STATE", cell: (key) => keyState(key, style.now), paint: style.state },
      {
        title: "EXPIRES",
        cell: (key) => (key.expires_at ? relativeTime(key.expires_at, style.now) : ""),
      },
      {
        title: "LAST USED",
        cell: (key) => (key.last_used_at ? relativeTime(key.last_used_at, style.now) : "never"),
      },
      { title: "SCOPES", cell: (key) => key.scopes.join(", ") },
      timeColumn("CREATED", (key) => key.created_at),
    ])
  },
}
