import { connectionSchema } from "@sitewire/contracts"
import { Option } from "commander"
import type { CliCommand } from "../../command.ts"
import { connectionBlock } from "./connectionBlock.ts"

export const showConnection: CliCommand = {
  name: "show",
  description: "show a connection, without its trigger URL by default",
  arguments: [["<connection>", "the connection's id"]],
  options: [new Option("--trigger-url", "show the trigger URL too; it contains a secret token")],
  examples: ["sitewire connection show bakery", "sitewire connection show bakery --trigger-url"],
  json: connectionSchema,
  async run({ callApi, print }, [id]: [string], { triggerUrl = false }: { triggerUrl?: boolean }) {
    const connection = await callApi((client) =>
      triggerUrl ? client.readConnectionTriggerUrl({ id }) : client.readConnection({ id }),
    )
    print(connection, connectionBlock)
  },
}
