import { type WindowPage, windowPageSchema } from "@sitewire/contracts"
import { readPages } from "../../api/readPages.ts"
import type { CliCommand } from "../../command.ts"
import { noteMore, type PageOptions, pageOptions } from "../../options/pageOptions.ts"
import { block } from "../../output/block.ts"
import type { Style } from "../../output/style.ts"
import { table, timeColumn } from "../../output/table.ts"
import { relativeTime } from "../../output/time.ts"

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
        const one = await client.listWindows({ id, ...query })
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
          timeColumn("STARTED", ({ sync }) => sync.started_at),
          { title: "", cell: ({ sync }) => relativeTime(sync.started_at, style.now), short: () => "" },
          { title: "OUTCOME", cell: ({ sync }) => sync.outcome, paint: style.state },
          { title: "ERROR", cell: ({ sync }) => sync.reason ?? "" },
          { title: "TRIGGERS", cell: ({ triggers }) => String(triggers.count), align: "right" },
          { title: "COVERED", cell: ({ covered }) => (covered ? "yes" : "no") },
          timeColumn("FIRST TRIGGER", ({ triggers }) => triggers.first_at),
          timeColumn("LAST TRIGGER", ({ triggers }) => triggers.last_at),
        ])
  if (pending === null) return windows
  const { triggers, earliest_start_at } = pending
  const next = block(style, [
    ["pending triggers", String(triggers.count)],
    ["earliest start", style.time(earliest_start_at)],
  ])
  return `${next}\n\n${windows}`
}
