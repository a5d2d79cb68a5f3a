import type { Command } from "commander"
import { examples } from "../../examples.ts"
import type { Setup } from "../../program.ts"
import { connectionBlock } from "./connectionBlock.ts"

export function addConnectionShow(parent: Command, { open }: Setup): void {
  parent
    .command("show")
    .description("one connection; its trigger address only when asked for")
    .argument("<connection>", "the connection's id")
    .option("--address", "show the trigger address too: it holds the token, a secret")
    .addHelpText(
      "after",
      examples("sitewire connection show bakery", "sitewire connection show bakery --address"),
    )
    .action(async (id: string, { address = false }: { address?: boolean }, command: Command) => {
      const { ask, show } = open(command)
      const connection = await ask((client) =>
        address ? client.readConnectionAddress(id) : client.readConnection(id),
      )
      show(connection, connectionBlock)
    })
}
