import type { Command } from "commander"
import { examples } from "../../examples.ts"
import { block } from "../../output/block.ts"
import type { Setup } from "../../program.ts"
import { jobEntries } from "./startJob.ts"

export function addJobShow(parent: Command, { open }: Setup): void {
  parent
    .command("show")
    .description("how far a job is; of an erasure with --json, the proof")
    .argument("<job>", "the job's id")
    .addHelpText("after", examples("sitewire job show job_8c1f0e", "sitewire job show job_8c1f0e --json"))
    .action(async (id: string, _options: object, command: Command) => {
      const { ask, show } = open(command)
      show(await ask((client) => client.readJob(id)), (job, style) => block(style, jobEntries(job, style)))
    })
}
