import { deletedChannelSchema } from "@sitewire/contracts"
import { Option } from "commander"
import type { CliCommand } from "../../command.ts"
import { type ConfirmOptions, confirmOption } from "../../options/confirmOption.ts"

type Options = ConfirmOptions & { force?: boolean }

export const deleteChannel: CliCommand = {
  name: "delete",
  description: "delete a channel with its secrets; its deliveries stay readable",
  arguments: [["<channel>", "the channel's id"]],
  options: [
    new Option("--force", "also if deliveries are pending: they become dead and are not sent"),
    confirmOption,
  ],
  examples: ["sitewire channel delete acme", "sitewire channel delete acme --force --yes"],
  json: deletedChannelSchema,
  async run({ callApi, confirm, print, note }, [id]: [string], options: Options) {
    const { force } = options
    await confirm(options, async () => {
      const { address } = await callApi((client) => client.readChannel({ id }))
      const pending = force ? " Its pending deliveries become dead." : ""
      return `Delete the channel "${id}" of ${new URL(address).host}? This cannot be undone.${pending}`
    })
    const deleted = await callApi((client) => client.deleteChannel({ id, force }))
    print(deleted, ({ pending_deliveries: pending }) =>
      pending === 0
        ? `The channel "${id}" is deleted. No delivery was pending.`
        : `The channel "${id}" is deleted. Pending deliveries: ${pending}. They are not sent any more, and are dead within about a minute.`,
    )
    note("Later events of this channel are invalid.")
    for (const { id: key, revoked } of deleted.keys)
      note(
        revoked
          ? `The API key ${key} was for this channel only and is revoked.`
          : `The API key ${key} has lost the scope channel:${id}.`,
      )
  },
}
