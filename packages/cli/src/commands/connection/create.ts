import { createdConnectionSchema, syncRunnerSchema } from "@sitewire/contracts"
import { Option } from "commander"
import type { z } from "zod"
import type { CliCommand } from "../../command.ts"
import {
  type RequestHeaderOptions,
  readRequestHeaders,
  requestHeaderOption,
} from "../../options/requestHeaderOptions.ts"
import { connectionBlock } from "./connectionBlock.ts"

type Options = RequestHeaderOptions & {
  site: string
  source: string
  id?: string
  runner?: z.infer<typeof syncRunnerSchema>
}

export const createConnection: CliCommand = {
  name: "create",
  description: "create a connection; prints its trigger URL and its signing secret",
  options: [
    new Option("--site <host>", "the host of the owner's site (required)").makeOptionMandatory(),
    new Option(
      "--source <url>",
      "the partner's API; for --runner delegate, the executor's address (required)",
    ).makeOptionMandatory(),
    new Option("--id <id>", "an id of your choice (default: generated)"),
    new Option("--runner <runner>", "who fetches the data (default: pull)").choices(syncRunnerSchema.options),
    requestHeaderOption,
  ],
  examples: [
    "sitewire connection create --site bakery.example --source https://partner.example/data.json",
    "sitewire connection create --id bakery --site bakery.example --source https://executor.example/sync --runner delegate",
    "sitewire connection create --site bakery.example --source https://partner.example/data.json --header-env Authorization=PARTNER_TOKEN",
  ],
  json: createdConnectionSchema,
  async run(session, _, { site, source, id, runner, ...options }: Options) {
    const { callApi, print, note } = session
    const headers = readRequestHeaders(session, options)
    const created = await callApi((client) =>
      client.createConnection({ body: { site, source, id, runner, ...headers } }),
    )
    print(created, connectionBlock)
    note(
      "The trigger URL contains a secret token, and the signing secret is shown only this once. Give both to the partner only.",
    )
  },
}
