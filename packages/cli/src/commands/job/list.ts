import { jobSchema, pageSchema } from "@sitewire/contracts"
import { readPages } from "../../api/readPages.ts"
import type { CliCommand } from "../../command.ts"
import { noteMore, type PageOptions, pageOptions } from "../../options/pageOptions.ts"
import { table } from "../../output/table.ts"
import { localTime } from "../../output/time.ts"
import { progressText } from "./jobBlock.ts"

export const listJobs: CliCommand = {
  name: "list",
  description: "list the resends, replays, erasures and reconciliations, newest first",
  options: pageOptions,
  examples: ["sitewire job list", "sitewire job list --limit 5 --json"],
  json: pageSchema(jobSchema),
  async run(session, _, options: PageOptions) {
    const page = await session.callApi((client) => readPages(options, client.listJobs))
    session.print(page, ({ data }, style) =>
      data.length === 0
        ? "No jobs."
        : table(style, data, [
            { title: "ID", cell: (job) => job.id },
            { title: "KIND", cell: (job) => job.kind },
            { title: "STATE", cell: (job) => job.state, paint: style.state },
            { title: "PROGRESS", cell: progressText },
            { title: "CREATED", cell: (job) => localTime(job.created_at) },
            { title: "REASON", cell: (job) => job.reason },
          ]),
    )
    noteMore(session, page)
  },
}
