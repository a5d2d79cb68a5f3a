import { pipeline } from "node:stream/promises"
import { Option } from "commander"
import type { CliCommand } from "../../command.ts"
import { describeNetworkError } from "../../errors/describeNetworkError.ts"
import { failed } from "../../errors/failure.ts"

type Options = { fence?: string }

export const showSnapshot: CliCommand = {
  name: "show-snapshot",
  description: "print what the connection's last successful sync fetched, byte for byte",
  arguments: [["<connection>", "the connection's id"]],
  options: [
    new Option(
      "--fence <number>",
      "the content of this sync; it is stored for 10 minutes after it was replaced",
    ),
  ],
  examples: [
    "sitewire connection show-snapshot bakery | jq",
    "sitewire connection show-snapshot bakery > data.json",
  ],
  json: "The snapshot itself, which --json does not change.",
  async run({ callApi, note, stdout }, [id]: [string], { fence }: Options) {
    const { headers, body } = await callApi((client) => client.readSnapshot({ id, fence }))
    const length = headers.get("content-length")
    const facts = [
      headers.get("content-type"),
      length === null ? null : `${length} bytes`,
      headers.get("last-modified"),
    ]
    note(facts.filter((fact) => fact !== null).join(", "))
    if (body === null) return
    try {
      await pipeline(body, stdout, { end: false })
    } catch (error) {
      throw failed(
        `The snapshot of ${id} is incomplete: ${describeNetworkError(error)}. ` +
          "The connection was interrupted, or the snapshot was replaced more than 10 minutes ago: run the command again.",
      )
    }
  },
}
