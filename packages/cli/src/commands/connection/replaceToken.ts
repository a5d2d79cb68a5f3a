import type { Command } from "commander"
import { examples } from "../../examples.ts"
import type { Setup } from "../../program.ts"
import { connectionBlock } from "./connectionBlock.ts"

export function addConnectionReplaceToken(parent: Command, { open }: Setup): void {
  parent
    .command("replace-token")
    .description("give a connection a new trigger address; the old one answers 404 at once")
    .argument("<connection>", "the connection's id")
    .addHelpText("after", examples("sitewire connection replace-token bakery"))
    .action(async (id: string, _options: object, command: Command) => {
      const { ask, show, note } = open(command)
      show(await ask((client) => client.replaceToken(id)), connectionBlock)
      note("The old address answers 404 from now on. Give the new one to the partner only: it is a secret.")
    })
}
