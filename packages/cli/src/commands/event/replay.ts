import { replayFilterSchema } from "@sitewire/contracts"
import { Option } from "commander"
import type { CliCommand } from "../../command.ts"
import { fieldsOf } from "../../derive/fieldOptions.ts"
import { incorrectUsage } from "../../errors/failure.ts"
import { type ConfirmOptions, confirmOption } from "../../options/confirmOption.ts"
import { type JobOptions, jobOptions, perSecondOption, reasonOf } from "../../options/jobOptions.ts"
import { timeHelp } from "../../options/parseTime.ts"
import { startedJobSchema, startJob } from "../job/startJob.ts"

type Options = JobOptions & ConfirmOptions & { invalidReason?: string; perSecond?: number }

const times = fieldsOf(replayFilterSchema, { reason: false })

export const replayEvents: CliCommand = {
  name: "replay",
  description: "publish invalid site.paid events again, after their cause was fixed; in batches of up to 500",
  options: [
    new Option(
      "--invalid-reason <reason>",
      "only events that were rejected for this reason, or for one that begins with it",
    ),
    ...times.options,
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
    const { invalidReason, perSecond } = options
    const period = times.read(session, options)
    if (invalidReason === undefined && Object.keys(period).length === 0) {
      throw incorrectUsage(
        "Select events with --invalid-reason, --after or --before; otherwise every invalid event " +
          "would be published again. (--reason is why you do this.) To list the events: sitewire event list",
      )
    }
    const reason = reasonOf(options)
    await startJob(session, options, {
      filter: { invalid_reason: invalidReason, ...period },
      create: (client, dryRun) =>
        client.createReplayJob({
          body: {
            filter: { reason: invalidReason, ...period },
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
