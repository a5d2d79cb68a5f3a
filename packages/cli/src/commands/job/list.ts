import { jobSchema, pageSchema } from "@sitewire/contracts"
import { readPages } from "../../api/readPages.ts"
import type { CliCommand } from "../../command.ts"
import { type PageOptions, pageOptions, printPage } from "../../options/pageOptions.ts"
import { timeColumn } from "../../output/table.ts"
import { progressText } from "./jobBlock.ts"

export const listJobs: CliCommand = {
  name: "list",
  description: "list the resends, replays, erasures and reconciliations, newest first",
  options: pageOptions,
  examples: ["sitewire job list", "sitewire job list --limit 5 --json"],
  json: pageSchema(jobSchema),
  async run(session, _, options: PageOptions) {
    const page = await session.callApi((client) => readPages(options, client.listJobs))
    printPage(session, page, "No jobs.", (style) => [
      { title: "ID", cell: (job) => job.id, whole: true },
      { title: "KIND", cell: (job) => job.kind },
      { title: "STATE", cell: (job) => job.state, paint: style.state },
      { title: "PROGRESS", cell: progressText },
      timeColumn("CREATED", (job) => job.created_at),
      { title: "REASON", cell: (job) => job.reason },
    ])
  },
}
