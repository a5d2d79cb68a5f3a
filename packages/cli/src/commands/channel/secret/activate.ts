import { channelSchema } from "@sitewire/contracts"
import { Option } from "commander"
import type { CliCommand } from "../../../command.ts"
import { failed } from "../../../errors/failure.ts"
import { type ConfirmOptions, confirmOption } from "../../../options/confirmOption.ts"
import { block } from "../../../output/block.ts"
import { channelEntries } from "../channelEntries.ts"

type Options = ConfirmOptions & { secretId?: string }

export const activateSecret: CliCommand = {
  name: "activate",
  description: "sign with the staged secret from now on; the previous secret becomes the retiring one",
  arguments: [["<channel>", "the channel's id"]],
  options: [new Option("--secret-id <id>", "fail if the staged secret has a different id"), confirmOption],
  examples: [
    "sitewire channel secret activate acme",
    "sitewire channel secret activate acme --secret-id sec_0f1e2d3c4b5a69788796 --yes",
  ],
  json: channelSchema,
  async run({ callApi, confirm, print, note }, [id]: [string], options: Options) {
    let secretId = options.secretId
    await confirm(options, async () => {
      const { other_secret: other } = await callApi((client) => client.readChannel(id))
      if (other?.state !== "staged")
        throw failed(
          `The channel "${id}" has no staged secret. To stage one: sitewire channel secret stage ${id}`,
        )
      secretId ??= other.id
      return `Sign with ${other.id} from now on, for the channel "${id}"? Its partner must have this secret already. This cannot be undone.`
    })
    const channel = await callApi((client) => client.activateSecret(id, { secret_id: secretId }))
    print(channel, (shown, style) => block(style, channelEntries(shown, style)))
    note(`When the partner no longer needs the previous secret: sitewire channel secret retire ${id}`)
  },
}
