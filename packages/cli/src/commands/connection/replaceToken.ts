import { connectionTriggerUrlSchema } from "@sitewire/contracts"
import type { CliCommand } from "../../command.ts"
import { type ConfirmOptions, confirmOption } from "../../options/confirmOption.ts"
import { connectionBlock } from "./connectionBlock.ts"

export const replaceToken: CliCommand = {
  name: "replace-token",
  description:
    "replace a connection's token and thereby its trigger URL; the old URL responds with 404 at once",
  arguments: [["<connection>", "the connection's id"]],
  options: [confirmOption],
  examples: ["sitewire connection replace-token bakery", "sitewire connection replace-token bakery --yes"],
  json: connectionTriggerUrlSchema,
  async run({ callApi, confirm, print, note }, [id]: [string], options: ConfirmOptions) {
    await confirm(options, async () => {
      const { site } = await callApi((client) => client.readConnection({ id }))
      return `Replace the token of the connection "${id}" of ${site}? Its trigger URL stops working at once, and this cannot be undone.`
    })
    print(await callApi((client) => client.replaceConnectionToken({ id })), connectionBlock)
    note(
      "The old trigger URL responds with 404 from now on. The new one contains a secret token: " +
        "give it to the partner only.",
    )
  },
}
