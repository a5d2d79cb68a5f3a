import { channelSchema } from "@sitewire/contracts"
import { Option } from "commander"
import type { CliCommand } from "../../../command.ts"
import { failed } from "../../../errors/failure.ts"
import { type ConfirmOptions, confirmOption } from "../../../options/confirmOption.ts"
import { block } from "../../../output/block.ts"
import { channelEntries } from "../channelEntries.ts"

type Options = ConfirmOptions & { secretId?: string; force?: boolean }

const steps = {
  activate: {
    description: "sign with the staged secret from now on; the previous secret becomes the retiring one",
    state: "staged",
    missing: (id: string) => `has no staged secret. To stage one: sitewire channel secret stage ${id}`,
    note: (id: string) =>
      `To return to the previous secret: sitewire channel secret revert ${id}\n` +
      `When the partner no longer needs it: sitewire channel secret retire ${id}`,
  },
  revert: {
    description: "undo an activation: sign with the retiring secret again, while it is retained",
    state: "retiring",
    missing: () => "has no retiring secret, so there is none to return to.",
    note: (id: string) =>
      `When the partner no longer needs the other secret: sitewire channel secret retire ${id}`,
  },
} as const

function stepCommand(name: keyof typeof steps): CliCommand {
  const { description, state, missing, note: noteOf } = steps[name]
  return {
    name,
    description,
    arguments: [["<channel>", "the channel's id"]],
    options: [
      new Option("--secret-id <id>", `fail if the ${state} secret has a different id`),
      new Option("--force", "also if the secret's last test found that the receiver does not accept it"),
      confirmOption,
    ],
    examples: [
      `sitewire channel secret ${name} acme`,
      `sitewire channel secret ${name} acme --secret-id sec_0f1e2d3c4b5a69788796 --yes`,
    ],
    json: channelSchema,
    async run({ callApi, confirm, print, note }, [id]: [string], options: Options) {
      let secretId = options.secretId
      await confirm(options, async () => {
        const { other_secret: other } = await callApi((client) => client.readChannel({ id }))
        if (other?.state !== state) throw failed(`The channel "${id}" ${missing(id)}`)
        secretId ??= other.id
        return `Sign with ${other.id} from now on, for the channel "${id}"? Its partner must have this secret already.`
      })
      const channel = await callApi((client) =>
        client[`${name}Secret`]({ id, secret_id: secretId, force: options.force }),
      )
      print(channel, (shown, style) => block(style, channelEntries(shown, style)))
      note(noteOf(id))
    },
  }
}

export const activateSecret = stepCommand("activate")
export const revertSecret = stepCommand("revert")
