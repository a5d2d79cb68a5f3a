import { Option } from "commander"
import type { CliCommand } from "../../command.ts"
import { incorrectUsage } from "../../errors/failure.ts"
import { type ConfirmOptions, confirmOption } from "../../options/confirmOption.ts"
import { type JobOptions, jobOptions, perSecondOption, reasonOf } from "../../options/jobOptions.ts"
import { timeHelp } from "../../options/parseTime.ts"
import { type TimeRange, timeRangeOptions } from "../../options/timeRange.ts"
import { startedJobSchema, startJob } from "../job/startJob.ts"

type Options = JobOptions & ConfirmOptions & TimeRange & { invalidReason?: string; perSecond?: number }

export const replayEvents: CliCommand = {
  name: "replay",
  description: "publish invalid site.paid events again, after their cause was fixed; in batches of up to 500",
  options: [
    new Option(
      "--invalid-reason <reason>",
      "only events that were rejected for this reason, or for one that begins with it",
    ),
    ...timeRangeOptions("events rejected"),
    perSecondOption,
    ...jobOptions,
    confirmOption,
  ],
  notes: `At least one of --invalid-reason, --after and --before is required.\n${timeHelp}`,
  examples: [
    'sitewire event replay --invalid-reason "unknown channel" --dry-run',
    'sitewire event replay --invalid-reason "unknown channel" --reason "acme exists now" --yes --wait',
  ],
  json: startedJobSchema,
  async run(session, _, options: Options) {
    const { invalidReason, after, before, perSecond } = options
    if (invalidReason === undefined && after === undefined && before === undefined) {
      throw incorrectUsage(
        "Select events with --invalid-reason, --after or --before; otherwise every invalid event " +
          "would be published again. (--reason is why you do this.) To list the events: sitewire event list",
      )
    }
    const filter = { reason: invalidReason, rejected_after: after, rejected_before: before }
    const reason = reasonOf(options)
    await startJob(session, options, {
      filter: { invalid_reason: invalidReason, rejected_after: after, rejected_before: before },
      create: (client, dryRun) =>
        client.createReplayJob({
          body: {
            filter,
            reason,
            per_second: perSecond,
            dry_run: dryRun,
          },
        }),
      question: (count) =>
        `Publish ${count} invalid events again? The partners receive those that are valid now.`,
    })
  },
}
