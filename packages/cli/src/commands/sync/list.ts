import { syncView } from "@sitewire/contracts/views"
import { call } from "../../derive/call.ts"

export const listSyncs = call("sync list", "listSyncs", {
  description: "list the syncs of all connections, or of one, newest first",
  argument: ["[connection]", "only syncs of this connection"],
  sentAs: "connection",
  options: { connection: false },
  examples: [
    "sitewire sync list bakery",
    "sitewire sync list --after 2026-11-21T12:00:00Z --before 2026-11-21T12:01:00Z",
    "sitewire sync list --site bakery.example --outcome failed --json",
  ],
  none: ["No sync matches.", "No syncs are stored: a trigger starts one, and old ones are deleted."],
  print: syncView,
})
