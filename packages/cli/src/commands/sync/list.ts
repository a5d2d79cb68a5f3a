import type { Sync } from "@sitewire/contracts"
import type { Command } from "commander"
import { examples } from "../../examples.ts"
import { addPageOptions, gatherPages, noteMore, type PageOptions } from "../../api/readPages.ts"
import { table } from "../../output/table.ts"
import { age, length, localTime } from "../../output/time.ts"
import type { Setup } from "../../program.ts"

export function addSyncs(parent: Command, { open }: Setup): void {
  addPageOptions(
    parent
      .command("syncs")
      .description("a connection's syncs, newest first")
      .argument("<connection>", "the connection's id"),
  )
    .addHelpText("after", examples("sitewire syncs bakery", "sitewire syncs bakery --limit 1 --json"))
    .action(async (id: string, options: PageOptions, command: Command) => {
      const session = open(command)
      const page = await session.ask((client) => gatherPages(options, (query) => client.listSyncs(id, query)))
      session.show(page, ({ data }, style) =>
        data.length === 0
          ? "No syncs yet: the first trigger starts one."
          : table(style, data, [
              { title: "#", cell: (sync) => String(sync.fence), align: "right" },
              { title: "STARTED", cell: (sync) => localTime(sync.started_at) },
              { title: "", cell: (sync) => age(sync.started_at, style.now) },
              { title: "TOOK", cell: took, align: "right" },
              { title: "OUTCOME", cell: (sync) => sync.outcome, paint: style.state },
              { title: "ERROR", cell: (sync) => sync.error ?? "" },
              { title: "TRIGGERS", cell: (sync) => String(sync.triggers), align: "right" },
              { title: "WAITED", cell: waited, align: "right" },
              { title: "BYTES", cell: (sync) => sync.bytes?.toString() ?? "", align: "right" },
              { title: "SHA256", cell: (sync) => sync.content_sha256?.slice(0, 12) ?? "" },
            ]),
      )
      noteMore(session, page)
    })
}

function took({ started_at, finished_at }: Sync): string {
  return finished_at === null ? "" : length(Date.parse(finished_at) - Date.parse(started_at))
}

/** From the first trigger that the run covers to its end: what the contract bounds. */
function waited({ first_trigger_at, finished_at }: Sync): string {
  if (first_trigger_at === null || finished_at === null) return ""
  return length(Math.max(0, Date.parse(finished_at) - Date.parse(first_trigger_at)))
}
