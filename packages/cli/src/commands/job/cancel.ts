import { jobSchema } from "@sitewire/contracts"
import type { CliCommand } from "../../command.ts"
import { jobBlock } from "./jobBlock.ts"

export const cancelJob: CliCommand = {
  name: "cancel",
  description: "stop a job; nothing is undone, and deliveries that a resend has already deferred are sent",
  arguments: [["<job>", "the job's id"]],
  examples: ["sitewire job cancel job_8c1f0e"],
  json: jobSchema,
  async run({ callApi, print }, [id]: [string]) {
    print(await callApi((client) => client.cancelJob({ id })), jobBlock)
  },
}
