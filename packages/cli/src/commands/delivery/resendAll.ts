import { resendFilterSchema } from "@sitewire/contracts"
import type { CliCommand } from "../../command.ts"
import { fieldsOf } from "../../derive/fieldOptions.ts"
import { incorrectUsage } from "../../errors/failure.ts"
import { type ConfirmOptions, confirmOption } from "../../options/confirmOption.ts"
import { type JobOptions, jobOptions, perSecondOption, reasonOf } from "../../options/jobOptions.ts"
import { timeHelp } from "../../options/parseTime.ts"
import { startedJobSchema, startJob } from "../job/startJob.ts"

type Options = JobOptions & ConfirmOptions & { perSecond?: number }

const fields = fieldsOf(resendFilterSchema)

export const resendAllDeliveries: CliCommand = {
  name: "resend-all",
  description: "send all matching deliveries again, as their channels have capacity: same ids, same bytes",
  options: [...fields.options, perSecondOption, ...jobOptions, confirmOption],
  notes: `At least one of --channel, --state, --after and --before is required.\n${timeHelp}`,
  examples: [
    "sitewire delivery resend-all --channel acme --state dead --dry-run",
    'sitewire delivery resend-all --channel acme --state dead --reason "acme was down" --wait',
    "sitewire delivery resend-all --after 2026-11-21T04:00:00Z --before 2026-11-21T06:00:00Z " +
      '--reason "ticket 17" --yes',
    'sitewire delivery resend-all --channel acme --after 12:00 --reason "acme was down since noon"',
  ],
  json: startedJobSchema,
  async run(session, _, options: Options) {
    const filter = fields.read(session, options)
    if (Object.keys(filter).length === 0) {
      throw incorrectUsage(
        "Select deliveries with --channel, --state, --after or --before; otherwise every delivery would be sent again.",
      )
    }
    const reason = reasonOf(options)
    await startJob(session, options, {
      filter,
      create: (client, dryRun) =>
        client.createResendJob({ body: { filter, reason, per_second: options.perSecond, dry_run: dryRun } }),
      question: (count) => `Resend ${count} deliveries? The partners receive them once more.`,
    })
  },
}
