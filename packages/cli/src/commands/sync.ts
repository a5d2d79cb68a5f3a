import { type StreamedSync, streamedSyncSchema } from "@sitewire/contracts"
import { syncView } from "@sitewire/contracts/views"
import { afterInterruption, followStream } from "../api/followStream.ts"
import type { CliCommand, CommandGroup } from "../command.ts"
import { call } from "../derive/call.ts"
import { escapeControls } from "../output/escapeControls.ts"
import type { Style } from "../output/style.ts"
import { duration, localTime } from "../output/time.ts"

const listSyncs = call("sync list", "listSyncs", {
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

const tailSyncs: CliCommand = {
  name: "tail",
  description: "print syncs as they begin and end",
  arguments: [["[connection]", "only syncs of this connection"]],
  notes: `Runs until it is interrupted (Ctrl-C). ${afterInterruption("syncs that started")}`,
  examples: ["sitewire sync tail", "sitewire sync tail bakery --json"],
  json: streamedSyncSchema,
  async run(session, [connection]: readonly string[]) {
    const print = (sync: StreamedSync) => session.print(sync, describe)
    await followStream(session, { event: "sync", connection }, print, {
      async readMissed(client, limit, since) {
        const { data } = await client.listSyncs({ connection, limit, started_after: since })
        return data.toReversed().map((sync) => streamedSyncSchema.parse(sync))
      },
    })
  },
}

function describe(sync: StreamedSync, style: Style): string {
  const { connection, site, fence, started_at, finished_at, outcome, reason, triggers } = sync
  const took = finished_at === null ? "" : `in ${duration(Date.parse(finished_at) - Date.parse(started_at))}`
  const facts = [reason ?? "", took, `triggers ${triggers}`].filter((part) => part !== "")
  const names = `${escapeControls(connection)}  ${escapeControls(site)}  #${fence}`
  return `${localTime(finished_at ?? started_at)}  ${names}  ${style.state(outcome)}  ${facts.join("  ")}`
}

export const sync: CommandGroup = {
  name: "sync",
  description: "the syncs of connections",
  commands: [listSyncs, tailSyncs],
}
