import { connectionSecretSchema } from "@sitewire/contracts"
import type { CliCommand } from "../../command.ts"
import { type ConfirmOptions, confirmOption } from "../../options/confirmOption.ts"
import { connectionBlock } from "./connectionBlock.ts"

export const replaceSecret: CliCommand = {
  name: "replace-secret",
  description: "replace the secret that signs the requests to a connection's source, and print the new one",
  arguments: [["<connection>", "the connection's id"]],
  options: [confirmOption],
  examples: ["sitewire connection replace-secret bakery", "sitewire connection replace-secret bakery --yes"],
  json: connectionSecretSchema,
  async run({ callApi, confirm, print, note }, [id]: [string], options: ConfirmOptions) {
    await confirm(options, async () => {
      const { site } = await callApi((client) => client.readConnection({ id }))
      return `Replace the signing secret of the connection "${id}" of ${site}? Requests to its source are signed with the new one from the next sync on, and this cannot be undone.`
    })
    print(await callApi((client) => client.replaceConnectionSecret({ id })), connectionBlock)
    note(
      "The signing secret is shown only this once. Give it to the partner only. A source that verifies rejects the " +
        "syncs until it has the new one; they are retried.",
    )
  },
}
