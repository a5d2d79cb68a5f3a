import type { Command } from "commander"
import { examples } from "../../examples.ts"
import { addPageOptions, gatherPages, noteMore, type PageOptions } from "../../api/readPages.ts"
import { table } from "../../output/table.ts"
import { localTime } from "../../output/time.ts"
import type { Setup } from "../../program.ts"
import { countsText } from "./startJob.ts"

export function addJobs(parent: Command, { open }: Setup): void {
  const jobs = parent.command("jobs").description("resends, replays and erasures, newest first")
  addPageOptions(jobs)
    .addHelpText("after", examples("sitewire jobs", "sitewire jobs --limit 5 --json"))
    .action(async (options: PageOptions, command: Command) => {
      const session = open(command)
      const page = await session.ask((client) => gatherPages(options, client.listJobs))
      session.show(page, ({ data }, style) =>
        data.length === 0
          ? "No jobs."
          : table(style, data, [
              { title: "ID", cell: (job) => job.id },
              { title: "KIND", cell: (job) => job.kind },
              { title: "STATE", cell: (job) => job.state, paint: style.state },
              { title: "SO FAR", cell: countsText },
              { title: "CREATED", cell: (job) => localTime(job.created_at) },
              { title: "REASON", cell: (job) => job.reason },
            ]),
      )
      noteMore(session, page)
    })
}
