import { type WindowPage, windowPageSchema } from "@sitewire/contracts"
import { readPages } from "../../api/readPages.ts"
import type { CliCommand } from "../../command.ts"
import { noteMore, type PageOptions, pageOptions } from "../../options/pageOptions.ts"
import type { Style } from "../../output/style.ts"
import { table } from "../../output/table.ts"
import { localTime, relativeTime } from "../../output/time.ts"

export const listWindows: CliCommand = {
  name: "windows",
  description: "list a connection's windows, newest first: which triggers were merged into which sync",
  arguments: [["<connection>", "the connection's id"]],
  options: pageOptions,
  examples: ["sitewire connection windows bakery", "sitewire connection windows bakery --limit 5 --json"],
  json: windowPageSchema,
  async run(session, [id]: [string], options: PageOptions) {
    let pending: WindowPage["pending"] = null
    const page = await session.callApi((client) =>
      readPages(options, async (query) => {
        const one = await client.listWindows(id, query)
        pending = one.pending
        return one
      }),
    )
    session.print({ ...page, pending }, describeWindows)
    noteMore(session, page)
  },
}

function describeWindows({ data, pending }: WindowPage, style: Style): string {
  const windows =
    data.length === 0
      ? "No syncs are stored: a trigger starts one, and old ones are deleted."
      : table(style, data, [
          { title: "SYNC", cell: ({ sync }) => String(sync.fence), align: "right" },
          { title: "STARTED", cell: ({ sync }) => localTime(sync.started_at) },
          { title: "", cell: ({ sync }) => relativeTime(sync.started_at, style.now) },
          { title: "TRIGGERS", cell: ({ triggers }) => String(triggers.count), align: "right" },
          { title: "FIRST TRIGGER", cell: ({ triggers }) => localTimeOr(triggers.first_at) },
          { title: "LAST TRIGGER", cell: ({ triggers }) => localTimeOr(triggers.last_at) },
          { title: "OUTCOME", cell: ({ sync }) => sync.outcome, paint: style.state },
          { title: "COVERED", cell: ({ covered }) => (covered ? "yes" : "no") },
          { title: "ERROR", cell: ({ sync }) => sync.error ?? "" },
        ])
  if (pending === null) return windows
  const { triggers, earliest_start_at } = pending
  return `Pending triggers: ${triggers.count}. Earliest start of their sync: ${style.time(earliest_start_at)}.\n\n${windows}`
}

function localTimeOr(time: string | null): string {
  return time === null ? "" : localTime(time)
}
