import { syncRunnerSchema } from "@sitewire/contracts"
import { type Command, Option } from "commander"
import type { z } from "zod"
import { examples } from "../../examples.ts"
import type { Setup } from "../../program.ts"
import { connectionBlock } from "./connectionBlock.ts"

type Options = { site: string; source: string; id?: string; runner?: z.infer<typeof syncRunnerSchema> }

export function addConnectionCreate(parent: Command, { open }: Setup): void {
  parent
    .command("create")
    .description("make a connection; prints its trigger address")
    .requiredOption("--site <host>", "the host of the owner's site")
    .requiredOption("--source <url>", "the partner's API, or the executor's address for --runner delegate")
    .option("--id <id>", "an id of your choice; made for you if left out")
    .addOption(
      new Option("--runner <runner>", "who fetches the data; pull if left out").choices(
        syncRunnerSchema.options,
      ),
    )
    .addHelpText(
      "after",
      examples(
        "sitewire connection create --site bakery.example --source https://partner.example/data.json",
        "sitewire connection create --id bakery --site bakery.example --source https://executor.example/sync --runner delegate",
      ),
    )
    .action(async ({ site, source, id, runner }: Options, command: Command) => {
      const { ask, show, note } = open(command)
      show(await ask((client) => client.createConnection({ site, source, id, runner })), connectionBlock)
      note("The address holds the connection's token: a secret. Give it to the partner only.")
    })
}
