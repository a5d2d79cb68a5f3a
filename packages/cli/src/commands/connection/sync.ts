import { requestedSyncSchema } from "@sitewire/contracts"
import type { CliCommand } from "../../command.ts"

export const syncConnection: CliCommand = {
  name: "sync",
  description: "sync a connection as soon as its window allows, as if the partner had called the trigger URL",
  arguments: [["<connection>", "the connection's id"]],
  examples: ["sitewire connection sync bakery"],
  json: requestedSyncSchema,
  async run({ callApi, print, note }, [id]: [string]) {
    const requested = await callApi((client) => client.requestSync({ id }))
    print(
      requested,
      ({ earliest_start_at }, style) =>
        `A sync of "${id}" is requested. Earliest start: ${style.time(earliest_start_at)}.`,
    )
    note(`See its outcome with: sitewire connection windows ${id}`)
  },
}
