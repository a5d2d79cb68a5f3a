import { Option } from "commander"
import type { CliCommand } from "../../command.ts"
import { type JobOptions, jobOptions, perSecondOption } from "../../options/jobOptions.ts"
import { parseTime } from "../../options/parseTime.ts"
import { startJob } from "../job/startJob.ts"

const states = ["pending", "delivered", "dead", "cancelled"] as const

type Options = JobOptions & {
  channel?: string
  state?: (typeof states)[number]
  createdAfter?: string
  createdBefore?: string
  perSecond?: number
}

export const resendAllDeliveries: CliCommand = {
  name: "resend-all",
  description: "send all matching deliveries again, as their channels have capacity: same ids, same bytes",
  options: [
    new Option("--channel <channel>", "only deliveries of this channel"),
    new Option("--state <state>", "only deliveries in this state").choices(states),
    new Option("--created-after <time>", "only deliveries created at this time or later").argParser(
      parseTime,
    ),
    new Option("--created-before <time>", "only deliveries created before this time").argParser(parseTime),
    perSecondOption,
    ...jobOptions,
  ],
  notes:
    "At least one of --channel, --state, --created-after and --created-before is required.\n" +
    "A time is an instant such as 2026-11-21T04:00:00Z, or a day in UTC such as 2026-11-21.",
  examples: [
    'sitewire delivery resend-all --channel acme --state dead --reason "acme was down" --dry-run',
    'sitewire delivery resend-all --channel acme --state dead --reason "acme was down" --wait',
    "sitewire delivery resend-all --created-after 2026-11-21T04:00:00Z --created-before 2026-11-21T06:00:00Z " +
      '--reason "ticket 17"',
  ],
  async run(session, _, options: Options) {
    const { channel, state, createdAfter, createdBefore, perSecond, reason, dryRun = false } = options
    await startJob(session, options, (client) =>
      client.createResendJob({
        filter: { channel, state, created_after: createdAfter, created_before: createdBefore },
        reason,
        per_second: perSecond,
        dry_run: dryRun,
      }),
    )
  },
}
