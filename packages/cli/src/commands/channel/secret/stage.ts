import { type StagedSecret, stagedSecretSchema } from "@sitewire/contracts"
import type { CliCommand } from "../../../command.ts"
import { block } from "../../../output/block.ts"
import type { Style } from "../../../output/style.ts"
import { channelEntries } from "../channelEntries.ts"

export const stageSecret: CliCommand = {
  name: "stage",
  description: "begin a rotation: create a new signing secret and print it",
  arguments: [["<channel>", "the channel's id"]],
  examples: ["sitewire channel secret stage acme"],
  json: stagedSecretSchema,
  async run({ callApi, print, note }, [id]: [string]) {
    print(await callApi((client) => client.stageSecret({ id })), stagedBlock)
    note(
      "Give the staged secret to the partner: after its activation, nobody can read it. When the partner accepts both secrets:\n" +
        `sitewire channel secret activate ${id}`,
    )
  },
}

export const showStagedSecret: CliCommand = {
  name: "show",
  description: "print the staged secret again, until it is activated; the audit log shows who did",
  arguments: [["<channel>", "the channel's id"]],
  examples: ["sitewire channel secret show acme"],
  json: stagedSecretSchema,
  async run({ callApi, print }, [id]: [string]) {
    print(await callApi((client) => client.readStagedSecret({ id })), stagedBlock)
  },
}

function stagedBlock(channel: StagedSecret, style: Style): string {
  return block(style, [
    ...channelEntries(channel, style),
    ["staged secret", channel.staged_secret],
    ["for standard webhooks", channel.standard_webhooks_secret],
  ])
}
