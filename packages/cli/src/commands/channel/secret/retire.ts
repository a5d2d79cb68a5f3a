import { channelSchema } from "@sitewire/contracts"
import { Option } from "commander"
import type { CliCommand } from "../../../command.ts"
import { failed } from "../../../errors/failure.ts"
import { type ConfirmOptions, confirmOption } from "../../../options/confirmOption.ts"
import { block } from "../../../output/block.ts"
import { channelEntries } from "../channelEntries.ts"

type Options = ConfirmOptions & { secretId?: string }

export const retireSecret: CliCommand = {
  name: "retire",
  description: "end a rotation: delete the retiring secret, or a staged secret that you do not want to use",
  arguments: [["<channel>", "the channel's id"]],
  options: [new Option("--secret-id <id>", "fail if the secret to delete has a different id"), confirmOption],
  examples: [
    "sitewire channel secret retire acme",
    "sitewire channel secret retire acme --secret-id sec_0f1e2d3c4b5a69788796 --yes",
  ],
  json: channelSchema,
  async run({ callApi, confirm, print, note }, [id]: [string], options: Options) {
    let secretId = options.secretId
    await confirm(options, async () => {
      const { other_secret: other } = await callApi((client) => client.readChannel({ id }))
      if (!other)
        throw failed(
          `The channel "${id}" has no secret beside the active one, so there is nothing to delete.`,
        )
      // What is confirmed is deleted, and no other secret that was staged meanwhile.
      secretId ??= other.id
      return `Delete the ${other.state} secret ${other.id} of the channel "${id}"? This cannot be undone.`
    })
    const channel = await callApi((client) => client.retireSecret({ id, secret_id: secretId }))
    print(channel, (shown, style) => block(style, channelEntries(shown, style)))
    note("The channel has only its active secret now.")
  },
}
