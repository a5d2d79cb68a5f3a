import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { Command } from "commander"
import { describeNetworkError } from "../../errors/describeNetworkError.ts"
import { examples } from "../../examples.ts"
import { failed } from "../../errors/failure.ts"
import type { Setup } from "../../program.ts"

export function addSnapshot(parent: Command, { open }: Setup): void {
  parent
    .command("snapshot")
    .description("what a connection's last successful sync fetched, byte for byte, to standard output")
    .argument("<connection>", "the connection's id")
    .addHelpText("after", examples("sitewire snapshot bakery | jq", "sitewire snapshot bakery > data.json"))
    .action(async (id: string, _options: object, command: Command) => {
      const { ask, note, stdout } = open(command)
      const answer = await ask((client) => client.readSnapshot(id))
      const { headers } = answer
      const facts = [
        headers.get("content-type"),
        size(headers.get("content-length")),
        headers.get("last-modified"),
      ]
      note(facts.filter((fact) => fact !== null).join(", "))
      if (answer.body === null) return
      try {
        await pipeline(Readable.fromWeb(answer.body), stdout, { end: false })
      } catch (error) {
        throw failed(
          `The snapshot of ${id} broke off: ${describeNetworkError(error)}. What was printed is not all of it; ` +
            "a newer sync may have replaced it meanwhile, so read it again.",
        )
      }
    })
}

function size(length: string | null): string | null {
  return length === null ? null : `${length} bytes`
}
