import { Option } from "commander"
import type { CliCommand } from "../../command.ts"
import { incorrectUsage } from "../../errors/failure.ts"
import { type ConfirmOptions, confirmOption } from "../../options/confirmOption.ts"
import { type JobOptions, jobOptions, perSecondOption, reasonOf } from "../../options/jobOptions.ts"
import { timeHelp } from "../../options/parseTime.ts"
import { type TimeRange, timeRangeOptions } from "../../options/timeRange.ts"
import { startedJobSchema, startJob } from "../job/startJob.ts"

const states = ["pending", "delivered", "dead", "cancelled"] as const

type Options = JobOptions &
  ConfirmOptions &
  TimeRange & { channel?: string; state?: (typeof states)[number]; perSecond?: number }

export const resendAllDeliveries: CliCommand = {
  name: "resend-all",
  description: "send all matching deliveries again, as their channels have capacity: same ids, same bytes",
  options: [
    new Option("--channel <channel>", "only deliveries of this channel"),
    new Option("--state <state>", "only deliveries in this state").choices(states),
    ...timeRangeOptions("deliveries created"),
    perSecondOption,
    ...jobOptions,
    confirmOption,
  ],
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
    const { channel, state, after, before, perSecond } = options
    const filter = { channel, state, created_after: after, created_before: before }
    if (Object.values(filter).every((value) => value === undefined)) {
      throw incorrectUsage(
        "Select deliveries with --channel, --state, --after or --before; otherwise every delivery would be sent again.",
      )
    }
    const reason = reasonOf(options)
    await startJob(session, options, {
      filter,
      create: (client, dryRun) =>
        client.createResendJob({
          body: {
            filter,
            reason,
            per_second: perSecond,
            dry_run: dryRun,
          },
        }),
      question: (count) => `Resend ${count} deliveries? The partners receive them once more.`,
    })
  },
}
