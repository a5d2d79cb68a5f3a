import { stagedSecretSchema } from "@sitewire/contracts"
import type { CliCommand } from "../../../command.ts"
import { block } from "../../../output/block.ts"
import { channelEntries } from "../channelEntries.ts"

export const stageSecret: CliCommand = {
  name: "stage",
  description: "begin a rotation: create a new signing secret and print it, only this once",
  arguments: [["<channel>", "the channel's id"]],
  examples: ["sitewire channel secret stage acme"],
  json: stagedSecretSchema,
  async run({ callApi, print, note }, [id]: [string]) {
    const staged = await callApi((client) => client.stageSecret(id))
    print(staged, (channel, style) =>
      block(style, [...channelEntries(channel, style), ["staged secret", channel.staged_secret]]),
    )
    note(
      "Give the staged secret to the partner: it is never shown again. When the partner accepts both secrets:\n" +
        `sitewire channel secret activate ${id}`,
    )
  },
}
