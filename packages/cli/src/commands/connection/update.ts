import { connectionSchema, syncRunnerSchema } from "@sitewire/contracts"
import { Option } from "commander"
import type { z } from "zod"
import type { CliCommand } from "../../command.ts"
import { incorrectUsage } from "../../errors/failure.ts"
import {
  type RequestHeaderOptions,
  readRequestHeaders,
  removeHeadersOption,
  requestHeaderOption,
} from "../../options/requestHeaderOptions.ts"
import { connectionBlock } from "./connectionBlock.ts"

type Options = RequestHeaderOptions & {
  source?: string
  runner?: z.infer<typeof syncRunnerSchema>
}

export const updateConnection: CliCommand = {
  name: "update",
  description: "change a connection's source, runner or request headers, and sync it in the next window",
  arguments: [["<connection>", "the connection's id"]],
  options: [
    new Option("--source <url>", "the new address of the partner's API or of the executor"),
    new Option("--runner <runner>", "who fetches the data").choices(syncRunnerSchema.options),
    requestHeaderOption,
    removeHeadersOption,
  ],
  examples: [
    "sitewire connection update bakery --source https://partner.example/v2/data.json",
    "sitewire connection update bakery --header-env Authorization=PARTNER_TOKEN",
  ],
  json: connectionSchema,
  async run(session, [id]: [string], { source, runner, ...options }: Options) {
    const { callApi, print, note } = session
    const change = {
      ...(source !== undefined && { source }),
      ...(runner !== undefined && { runner }),
      ...readRequestHeaders(session, options),
    }
    if (Object.keys(change).length === 0) {
      throw incorrectUsage(
        "There is nothing to change. Give --source, --runner, --header-env or --remove-headers.",
      )
    }
    print(await callApi((client) => client.changeConnection({ id, body: change })), connectionBlock)
    note("The snapshot contains the content from before the change until a sync has succeeded.")
  },
}
