import { connectionSchema, syncRunnerSchema } from "@sitewire/contracts"
import { Option } from "commander"
import type { z } from "zod"
import type { CliCommand } from "../../command.ts"
import { incorrectUsage } from "../../errors/failure.ts"
import { connectionBlock } from "./connectionBlock.ts"

type Options = { source?: string; runner?: z.infer<typeof syncRunnerSchema> }

export const updateConnection: CliCommand = {
  name: "update",
  description: "change a connection's source or runner, and sync the new source in the next window",
  arguments: [["<connection>", "the connection's id"]],
  options: [
    new Option("--source <url>", "the new address of the partner's API or of the executor"),
    new Option("--runner <runner>", "who fetches the data").choices(syncRunnerSchema.options),
  ],
  examples: ["sitewire connection update bakery --source https://partner.example/v2/data.json"],
  json: connectionSchema,
  async run({ callApi, print, note }, [id]: [string], { source, runner }: Options) {
    if (source === undefined && runner === undefined) {
      throw incorrectUsage("There is nothing to change. Give --source, --runner or both.")
    }
    const change = { ...(source !== undefined && { source }), ...(runner !== undefined && { runner }) }
    print(await callApi((client) => client.changeConnection(id, change)), connectionBlock)
    note("The snapshot contains the content of the old source until a sync of the new one has succeeded.")
  },
}
