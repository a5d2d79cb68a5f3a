import { type Command, Option } from "commander"
import { examples } from "../examples.ts"
import type { Setup } from "../program.ts"
import { addJobOptions, addPaceOption, type JobOptions, readInstant, startJob } from "../showJob.ts"

const states = ["pending", "delivered", "dead"] as const

type Options = JobOptions & {
  channel?: string
  state?: (typeof states)[number]
  from?: string
  to?: string
  perSecond?: number
}

export function addResend(parent: Command, { open, outcome }: Setup): void {
  const resend = parent
    .command("resend")
    .description(
      "send again all deliveries that match, as their channels have capacity: same ids, same bytes",
    )
    .option("--channel <channel>", "only this channel's")
    .addOption(new Option("--state <state>", "only in this state").choices(states))
    .option("--from <time>", "only those made at this time or later", readInstant)
    .option("--to <time>", "only those made before this time", readInstant)
  addJobOptions(addPaceOption(resend))
    .addHelpText(
      "after",
      examples(
        'sitewire resend --channel acme --state dead --reason "acme was down" --dry-run',
        'sitewire resend --channel acme --state dead --reason "acme was down" --wait',
        'sitewire resend --from 2026-11-21T04:00:00Z --to 2026-11-21T06:00:00Z --reason "ticket 17"',
      ),
    )
    .action((options: Options, command: Command) => {
      const { channel, state, from, to, perSecond, reason, dryRun = false } = options
      return startJob(open(command), { options, outcome }, (client) =>
        client.createResendJob({
          filter: { channel, state, created_after: from, created_before: to },
          reason,
          per_second: perSecond,
          dry_run: dryRun,
        }),
      )
    })
}
