import { connectionSchema } from "@sitewire/contracts"
import type { CliCommand } from "../../command.ts"
import { type ConfirmOptions, confirmOption } from "../../options/confirmOption.ts"

export const deleteConnection: CliCommand = {
  name: "delete",
  description:
    "delete a connection with its syncs and its content; its trigger URL responds with 404 at once",
  arguments: [["<connection>", "the connection's id"]],
  options: [confirmOption],
  examples: ["sitewire connection delete bakery", "sitewire connection delete bakery --yes"],
  json: connectionSchema,
  async run({ callApi, confirm, print }, [id]: [string], options: ConfirmOptions) {
    await confirm(options, async () => {
      const { site } = await callApi((client) => client.readConnection({ id }))
      return `Delete the connection "${id}" of ${site}, its syncs and its content? This cannot be undone.`
    })
    const deleted = await callApi((client) => client.deleteConnection({ id }))
    print(
      deleted,
      ({ site }) =>
        `The connection "${id}" of ${site} is deleted. Its trigger URL responds with 404 from now on.`,
    )
  },
}
