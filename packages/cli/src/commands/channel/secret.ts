import { channelView } from "@sitewire/contracts/views"
import type { CliCommand, CommandGroup } from "../../command.ts"
import { call } from "../../derive/call.ts"
import { failed } from "../../errors/failure.ts"
import { testCommand } from "./testCommand.ts"

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

const secretIdExamples = (words: string): [string, string] => [
  `sitewire ${words} acme`,
  `sitewire ${words} acme --secret-id sec_0f1e2d3c4b5a69788796 --yes`,
]

function stepCommand(name: keyof typeof steps): CliCommand {
  const { description, state, missing, note } = steps[name]
  const words = `channel secret ${name}`
  return call(words, `${name}Secret`, {
    description,
    options: { secret_id: `fail if the ${state} secret has a different id` },
    examples: secretIdExamples(words),
    async confirm(client, sent) {
      const { other_secret: other } = await client.readChannel({ id: sent.id })
      if (other?.state !== state) throw failed(`The channel "${sent.id}" ${missing(sent.id)}`)
      sent.secret_id ??= other.id
      return `Sign with ${other.id} from now on, for the channel "${sent.id}"? Its partner must have this secret already.`
    },
    print: channelView,
    note: (_, { id }) => note(id),
  })
}

export const secret: CommandGroup = {
  name: "secret",
  description: "rotate a channel's signing secret",
  commands: [
    call("channel secret stage", "stageSecret", {
      description: "begin a rotation: create a new signing secret and print it",
      print: channelView,
      note: (_, { id }) =>
        "Give the staged secret to the partner: after its activation, nobody can read it. When the partner accepts both secrets:\n" +
        `sitewire channel secret activate ${id}`,
    }),
    call("channel secret show", "readStagedSecret", {
      description: "print the staged secret again, until it is activated; the audit log shows who did",
      print: channelView,
    }),
    testCommand(
      "channel secret test",
      "testSecret",
      "send a test delivery that is signed only by the secret that is not active",
    ),
    stepCommand("activate"),
    stepCommand("revert"),
    call("channel secret retire", "retireSecret", {
      description:
        "end a rotation: delete the retiring secret, or a staged secret that you do not want to use",
      options: { secret_id: "fail if the secret to delete has a different id" },
      examples: secretIdExamples("channel secret retire"),
      async confirm(client, sent) {
        const { other_secret: other } = await client.readChannel({ id: sent.id })
        if (!other)
          throw failed(
            `The channel "${sent.id}" has no secret beside the active one, so there is nothing to delete.`,
          )
        // What is confirmed is deleted, and no other secret that was staged meanwhile.
        sent.secret_id ??= other.id
        return `Delete the ${other.state} secret ${other.id} of the channel "${sent.id}"? This cannot be undone.`
      },
      print: channelView,
      note: () => "The channel has only its active secret now.",
    }),
  ],
}
