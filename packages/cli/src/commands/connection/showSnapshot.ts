import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { Option } from "commander"
import type { CliCommand } from "../../command.ts"
import { describeNetworkError } from "../../errors/describeNetworkError.ts"
import { failed } from "../../errors/failure.ts"

export const showSnapshot: CliCommand = {
  name: "show-snapshot",
  description: "print what the connection's last successful sync fetched, byte for byte",
  arguments: [["<connection>", "the connection's id"]],
  options: [
    new Option(
      "--previous",
      "the content before the last change; it is stored for 7 days, up to a size of 1 MiB",
    ),
  ],
  examples: [
    "sitewire connection show-snapshot bakery | jq",
    "sitewire connection show-snapshot bakery > data.json",
    "sitewire connection show-snapshot bakery --previous | diff - data.json",
  ],
  json: "The snapshot itself, which --json does not change.",
  async run({ callApi, note, stdout }, [id]: [string], { previous = false }: { previous?: boolean }) {
    const { headers, body } = await callApi((client) =>
      previous ? client.readPreviousSnapshot(id) : client.readSnapshot(id),
    )
    const length = headers.get("content-length")
    const facts = [
      headers.get("content-type"),
      length === null ? null : `${length} bytes`,
      headers.get("last-modified"),
    ]
    note(facts.filter((fact) => fact !== null).join(", "))
    if (body === null) return
    try {
      await pipeline(Readable.fromWeb(body), stdout, { end: false })
    } catch (error) {
      throw failed(
        `The snapshot of ${id} is incomplete: ${describeNetworkError(error)}. ` +
          "A newer sync may have replaced the snapshot in the meantime: run the command again.",
      )
    }
  },
}
