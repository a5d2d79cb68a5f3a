import { setTimeout as sleep } from "node:timers/promises"
import {
  type Certification,
  certificationSchema,
  type SnippetLanguage,
  snippetLanguageSchema,
} from "@sitewire/contracts"
import { Option } from "commander"
import type { CliCommand } from "../../command.ts"
import { exitCodes } from "../../errors/exitCodes.ts"
import type { Session } from "../../session/createSession.ts"
import { describeCertification, describePoint } from "./describeCertification.ts"

type Options = { language?: SnippetLanguage; address?: string }

const pollMs = 500
/** A dispatcher claims a certification within about a second. */
const remindAfterMs = 5_000

export const certify: CliCommand = {
  name: "certify",
  description: "check whether a partner's receiver behaves correctly, and how to fix what it does wrong",
  arguments: [["<channel>", "the channel's id"]],
  options: [
    new Option("--language <language>", "the receiver's language, for snippets that fix it").choices(
      snippetLanguageSchema.options,
    ),
    new Option(
      "--address <url>",
      "another address of the receiver; of another host: needs the scope operate (default: the channel's address)",
    ),
  ],
  notes:
    "A webhook-dispatcher sends about 30 deliveries with fictional data; their reference is sitewire-test.\n" +
    `The exit code is ${exitCodes.failed} if a point failed.`,
  examples: [
    "sitewire certify acme",
    "sitewire certify acme --language python --address https://test.partner.example/sitewire",
  ],
  json: certificationSchema,
  async run(session, [channel]: [string], options: Options) {
    const created = await session.callApi((client) => client.createCertification(channel, options))
    session.note(`${created.id} certifies ${created.address}`)
    const finished = await waitForEnd(session, created)
    session.print(finished, describeCertification)
    if (finished.result !== "passed") session.outcome.exitCode = exitCodes.failed
  },
}

function waitForEnd(session: Session, created: Certification): Promise<Certification> {
  const startedAt = performance.now()
  return session.callApi(async (client) => {
    let noted = 0
    let reminded = false
    for (let current = created; ; current = await client.readCertification(created.channel, created.id)) {
      for (const point of current.points.slice(noted)) session.note(describePoint(point))
      // A dispatcher that takes over begins again.
      noted = current.points.length
      if (current.finished_at !== null) return current
      if (current.state === "waiting" && !reminded && performance.now() - startedAt > remindAfterMs) {
        reminded = true
        session.note("No webhook-dispatcher has claimed it yet. Check that one is running.")
      }
      await sleep(pollMs)
    }
  })
}
