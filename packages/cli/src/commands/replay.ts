import type { Command } from "commander"
import { examples } from "../examples.ts"
import { usage } from "../failure.ts"
import type { Setup } from "../program.ts"
import { addJobOptions, addPaceOption, type JobOptions, readInstant, startJob } from "../showJob.ts"

type Options = JobOptions & { refused?: string; from?: string; to?: string; perSecond?: number }

export function addReplay(parent: Command, { open, outcome }: Setup): void {
  const replay = parent
    .command("replay")
    .description("publish refused site.paid events again, once the cause is mended")
    .option("--refused <reason>", "only those refused for this reason, or one that begins so")
    .option("--from <time>", "only those refused at this time or later", readInstant)
    .option("--to <time>", "only those refused before this time", readInstant)
  addJobOptions(addPaceOption(replay, ", in pieces of up to 500"))
    .addHelpText(
      "after",
      examples(
        'sitewire replay --refused "unknown channel" --reason "acme exists now" --dry-run',
        'sitewire replay --refused "unknown channel" --reason "acme exists now" --wait',
      ),
    )
    .action((options: Options, command: Command) => {
      const { refused, from, to, perSecond, reason, dryRun = false } = options
      if (refused === undefined && from === undefined && to === undefined)
        throw usage(
          "Say which refused events, with --refused, --from or --to; without one of them all of them would be " +
            "published again. (--reason is why you do it.) What was refused: sitewire refused",
        )
      return startJob(open(command), { options, outcome }, (client) =>
        client.createReplayJob({
          filter: { reason: refused, rejected_after: from, rejected_before: to },
          reason,
          per_second: perSecond,
          dry_run: dryRun,
        }),
      )
    })
}
