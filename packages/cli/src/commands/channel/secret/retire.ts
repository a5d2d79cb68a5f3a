import { channelSchema } from "@sitewire/contracts"
import { Option } from "commander"
import type { CliCommand } from "../../../command.ts"
import { block } from "../../../output/block.ts"
import { channelEntries } from "../channelEntries.ts"

export const retireSecret: CliCommand = {
  name: "retire",
  description: "end a rotation: delete the retiring secret, or a staged secret that you do not want to use",
  arguments: [["<channel>", "the channel's id"]],
  options: [new Option("--secret-id <id>", "fail if the secret to delete has a different id")],
  examples: [
    "sitewire channel secret retire acme",
    "sitewire channel secret retire acme --secret-id sec_0f1e2d3c4b5a69788796",
  ],
  json: channelSchema,
  async run({ callApi, print, note }, [id]: [string], { secretId }: { secretId?: string }) {
    const channel = await callApi((client) => client.retireSecret(id, { secret_id: secretId }))
    print(channel, (shown, style) => block(style, channelEntries(shown, style)))
    note("The channel has only its active secret now.")
  },
}
