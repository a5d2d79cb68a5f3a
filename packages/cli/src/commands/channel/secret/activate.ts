import { channelSchema } from "@sitewire/contracts"
import { Option } from "commander"
import type { CliCommand } from "../../../command.ts"
import { block } from "../../../output/block.ts"
import { channelEntries } from "../channelEntries.ts"

export const activateSecret: CliCommand = {
  name: "activate",
  description: "sign with the staged secret from now on; the previous secret becomes the retiring one",
  arguments: [["<channel>", "the channel's id"]],
  options: [new Option("--secret-id <id>", "fail if the staged secret has a different id")],
  examples: [
    "sitewire channel secret activate acme",
    "sitewire channel secret activate acme --secret-id sec_0f1e2d3c4b5a69788796",
  ],
  json: channelSchema,
  async run({ callApi, print, note }, [id]: [string], { secretId }: { secretId?: string }) {
    const channel = await callApi((client) => client.activateSecret(id, { secret_id: secretId }))
    print(channel, (shown, style) => block(style, channelEntries(shown, style)))
    note(`When the partner no longer needs the previous secret: sitewire channel secret retire ${id}`)
  },
}
