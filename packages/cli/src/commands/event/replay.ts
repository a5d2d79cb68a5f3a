import { Option } from "commander"
import type { CliCommand } from "../../command.ts"
import { incorrectUsage } from "../../errors/failure.ts"
import { type JobOptions, jobOptions, perSecondOption } from "../../options/jobOptions.ts"
import { parseTime } from "../../options/parseTime.ts"
import { startJob } from "../job/startJob.ts"

type Options = JobOptions & {
  invalidReason?: string
  rejectedAfter?: string
  rejectedBefore?: string
  perSecond?: number
}

export const replayEvents: CliCommand = {
  name: "replay",
  description: "publish invalid site.paid events again, after their cause was fixed; in batches of up to 500",
  options: [
    new Option(
      "--invalid-reason <reason>",
      "only events that were rejected for this reason, or for one that begins with it",
    ),
    new Option("--rejected-after <time>", "only events rejected at this time or later").argParser(parseTime),
    new Option("--rejected-before <time>", "only events rejected before this time").argParser(parseTime),
    perSecondOption,
    ...jobOptions,
  ],
  notes:
    "At least one of --invalid-reason, --rejected-after and --rejected-before is required.\n" +
    "A time is an instant such as 2026-11-21T04:00:00Z, or a day in UTC such as 2026-11-21.",
  examples: [
    'sitewire event replay --invalid-reason "unknown channel" --reason "acme exists now" --dry-run',
    'sitewire event replay --invalid-reason "unknown channel" --reason "acme exists now" --wait',
  ],
  async run(session, _, options: Options) {
    const { invalidReason, rejectedAfter, rejectedBefore, perSecond, reason, dryRun = false } = options
    if (invalidReason === undefined && rejectedAfter === undefined && rejectedBefore === undefined) {
      throw incorrectUsage(
        "Select events with --invalid-reason, --rejected-after or --rejected-before; otherwise every invalid event " +
          "would be published again. (--reason is why you do this.) To list the events: sitewire event list-invalid",
      )
    }
    await startJob(session, options, (client) =>
      client.createReplayJob({
        filter: { reason: invalidReason, rejected_after: rejectedAfter, rejected_before: rejectedBefore },
        reason,
        per_second: perSecond,
        dry_run: dryRun,
      }),
    )
  },
}
