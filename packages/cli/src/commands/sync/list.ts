import type { Sync } from "@sitewire/contracts"
import { pageSchema, syncSchema } from "@sitewire/contracts"
import { readPages } from "../../api/readPages.ts"
import type { CliCommand } from "../../command.ts"
import { noteMore, type PageOptions, pageOptions } from "../../options/pageOptions.ts"
import { table } from "../../output/table.ts"
import { duration, localTime, relativeTime } from "../../output/time.ts"

export const listSyncs: CliCommand = {
  name: "list",
  description: "list a connection's syncs, newest first",
  arguments: [["<connection>", "the connection's id"]],
  options: pageOptions,
  examples: ["sitewire sync list bakery", "sitewire sync list bakery --limit 1 --json"],
  json: pageSchema(syncSchema),
  async run(session, [id]: [string], options: PageOptions) {
    const page = await session.callApi((client) => readPages(options, (query) => client.listSyncs(id, query)))
    session.print(page, ({ data }, style) =>
      data.length === 0
        ? "No syncs yet: the first trigger starts one."
        : table(style, data, [
            { title: "#", cell: (sync) => String(sync.fence), align: "right" },
            { title: "STARTED", cell: (sync) => localTime(sync.started_at) },
            { title: "", cell: (sync) => relativeTime(sync.started_at, style.now) },
            { title: "DURATION", cell: syncDuration, align: "right" },
            { title: "OUTCOME", cell: (sync) => sync.outcome, paint: style.state },
            { title: "ERROR", cell: (sync) => sync.error ?? "" },
            { title: "TRIGGERS", cell: (sync) => String(sync.triggers), align: "right" },
            { title: "TRIGGER TO END", cell: triggerToEnd, align: "right" },
            { title: "BYTES", cell: (sync) => sync.bytes?.toString() ?? "", align: "right" },
            { title: "SHA256", cell: (sync) => sync.content_sha256?.slice(0, 12) ?? "" },
          ]),
    )
    noteMore(session, page)
  },
}

function syncDuration({ started_at, finished_at }: Sync): string {
  return finished_at === null ? "" : duration(Date.parse(finished_at) - Date.parse(started_at))
}

function triggerToEnd({ first_trigger_at, finished_at }: Sync): string {
  if (first_trigger_at === null || finished_at === null) return ""
  return duration(Math.max(0, Date.parse(finished_at) - Date.parse(first_trigger_at)))
}
