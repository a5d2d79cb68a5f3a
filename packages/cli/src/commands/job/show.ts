import { jobWithOutcomeSchema } from "@sitewire/contracts"
import type { CliCommand } from "../../command.ts"
import { jobBlock } from "./jobBlock.ts"

export const showJob: CliCommand = {
  name: "show",
  description: "show a job and what became of its deliveries; of an erasure with --json, the proof",
  arguments: [["<job>", "the job's id"]],
  examples: ["sitewire job show job_8c1f0e", "sitewire job show job_8c1f0e --json"],
  json: jobWithOutcomeSchema,
  async run({ callApi, print }, [id]: [string]) {
    print(await callApi((client) => client.readJob({ id })), jobBlock)
  },
}
