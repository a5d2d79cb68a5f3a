import type { Command } from "commander"
import { examples } from "../../examples.ts"
import { block } from "../../output/block.ts"
import type { Setup } from "../../program.ts"
import { jobEntries } from "./startJob.ts"

export function addJobCancel(parent: Command, { open }: Setup): void {
  parent
    .command("cancel")
    .description("end a job where it is; what was done stays done, and what a resend has deferred is sent")
    .argument("<job>", "the job's id")
    .addHelpText("after", examples("sitewire job cancel job_8c1f0e"))
    .action(async (id: string, _options: object, command: Command) => {
      const { ask, show } = open(command)
      show(await ask((client) => client.cancelJob(id)), (job, style) => block(style, jobEntries(job, style)))
    })
}
