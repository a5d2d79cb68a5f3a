import { type ListedSync, listedSyncSchema, pageSchema, syncSchema } from "@sitewire/contracts"
import type { Input } from "@sitewire/contracts/client"
import { Option } from "commander"
import { readPages } from "../../api/readPages.ts"
import type { CliCommand } from "../../command.ts"
import { type PageOptions, pageOptions, printPage } from "../../options/pageOptions.ts"
import { parseTime } from "../../options/parseTime.ts"
import { timeColumn } from "../../output/table.ts"
import { duration, relativeTime } from "../../output/time.ts"

type Options = PageOptions & {
  site?: string
  outcome?: Input<"listSyncs">["outcome"]
  after?: string
  before?: string
}

export const listSyncs: CliCommand = {
  name: "list",
  description: "list the syncs of all connections, or of one, newest first",
  arguments: [["[connection]", "only syncs of this connection"]],
  options: [
    new Option("--site <host>", "only syncs of this site's connections"),
    new Option("--outcome <outcome>", "only syncs with this outcome").choices(
      syncSchema.shape.outcome.options,
    ),
    new Option("--after <time>", "only syncs that started at this time or later").argParser(parseTime),
    new Option("--before <time>", "only syncs that started before this time").argParser(parseTime),
    ...pageOptions,
  ],
  examples: [
    "sitewire sync list bakery",
    "sitewire sync list --after 2026-11-21T12:00:00Z --before 2026-11-21T12:01:00Z",
    "sitewire sync list --site bakery.example --outcome failed --json",
  ],
  json: pageSchema(listedSyncSchema),
  async run(session, [connection]: readonly string[], { site, outcome, after, before, ...options }: Options) {
    const filter = { connection, site, outcome, started_after: after, started_before: before }
    const isFiltered = [site, outcome, after, before].some((value) => value !== undefined)
    const page = await session.callApi((client) =>
      readPages(options, (query) => client.listSyncs({ ...query, ...filter })),
    )
    printPage(
      session,
      page,
      isFiltered
        ? "No sync matches."
        : "No syncs are stored: a trigger starts one, and old ones are deleted.",
      (style) => [
        ...(connection === undefined
          ? [{ title: "CONNECTION", cell: (sync: ListedSync) => sync.connection, whole: true as const }]
          : []),
        { title: "#", cell: (sync) => String(sync.fence), align: "right" },
        timeColumn("STARTED", (sync: ListedSync) => sync.started_at),
        { title: "", cell: (sync) => relativeTime(sync.started_at, style.now), short: () => "" },
        { title: "DURATION", cell: syncDuration, align: "right" },
        { title: "OUTCOME", cell: (sync) => sync.outcome, paint: style.state },
        { title: "ERROR", cell: (sync) => sync.reason ?? "" },
        { title: "TRIGGERS", cell: (sync) => String(sync.triggers), align: "right" },
        { title: "TRIGGER TO END", cell: triggerToEnd, align: "right" },
        { title: "BYTES", cell: (sync) => sync.bytes?.toString() ?? "", align: "right" },
        { title: "SHA256", cell: (sync) => sync.content_sha256?.slice(0, 12) ?? "" },
      ],
    )
  },
}

function syncDuration({ started_at, finished_at }: ListedSync): string {
  return finished_at === null ? "" : duration(Date.parse(finished_at) - Date.parse(started_at))
}

function triggerToEnd({ first_trigger_at, finished_at }: ListedSync): string {
  if (first_trigger_at === null || finished_at === null) return ""
  return duration(Math.max(0, Date.parse(finished_at) - Date.parse(first_trigger_at)))
}
