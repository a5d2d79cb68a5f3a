import { jobSchema } from "@sitewire/contracts"
import { Option } from "commander"
import type { CliCommand } from "../../command.ts"
import { exitCodes } from "../../errors/exitCodes.ts"
import { parseTime, timeHelp } from "../../options/parseTime.ts"
import { startJob } from "../job/startJob.ts"

type Options = { from: string; to?: string; reason?: string }

export const reconcile: CliCommand = {
  name: "reconcile",
  description: "prove that no event and no trigger of a period is lost: compares Kafka with Postgres",
  options: [
    new Option("--from <time>", "the beginning of the period (required)")
      .argParser(parseTime)
      .makeOptionMandatory(),
    new Option("--to <time>", "the end of the period (default: now)").argParser(parseTime),
    new Option("--reason <text>", "why you do this; stored with the job, so do not name a person"),
  ],
  notes: `${timeHelp}\nWaits for the end. The exit code is 1 if a record is not accounted for.`,
  examples: [
    "sitewire reconcile --from 2h",
    "sitewire reconcile --from 2026-11-21T04:00:00Z --to 2026-11-21T06:00:00Z --json",
  ],
  json: jobSchema,
  async run(session, _, { from, to, reason }: Options) {
    const job = await startJob(
      session,
      { wait: true },
      {
        uncounted: true,
        create: (client) =>
          client.createReconcileJob({ body: { created_after: from, created_before: to, reason } }),
      },
    )
    if (job?.counts.exceptions) session.outcome.exitCode = exitCodes.failed
  },
}
