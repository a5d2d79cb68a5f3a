import { once } from "node:events"
import {
  type ReceiverFaultName,
  receiverFaultNames,
  receiverFaults,
  startFaultyReceiver,
} from "@sitewire/receiver"
import { InvalidArgumentError, Option } from "commander"
import type { CliCommand } from "../../command.ts"
import { failed } from "../../errors/failure.ts"
import { table } from "../../output/table.ts"
import type { Session } from "../../session/createSession.ts"
import { readSecret, type SecretOptions, secretOptions } from "../../session/readSecret.ts"
import { describeRequest, inspectRequest } from "./inspectRequest.ts"

type Options = SecretOptions & { port: number; behave: ReceiverFaultName; list?: true }

export const listen: CliCommand = {
  name: "listen",
  description:
    "receive deliveries on 127.0.0.1, print each and whether its signature is valid, and respond with 204",
  options: [
    new Option("--port <number>", "the port to listen on; 0 chooses a free one")
      .argParser(parsePort)
      .default(8098),
    new Option("--behave <name>", "simulate one of the faults that --list prints")
      .choices(receiverFaultNames)
      .default("no-content"),
    new Option("--list", "print the faults, and what Sitewire records for each"),
    ...secretOptions,
  ],
  notes: "Runs until it is interrupted (Ctrl-C). The bodies that it prints contain personal data.",
  examples: [
    "sitewire listen",
    "read -rs SECRET && export SECRET && sitewire listen --port 4000 --secret-env SECRET",
    "sitewire listen --behave drips-header",
    "sitewire listen --list",
  ],
  async run(session, _, options: Options) {
    if (options.list) listFaults(session)
    else await receive(session, options)
  },
}

function parsePort(text: string): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535) {
    throw new InvalidArgumentError("It must be a whole number from 0 to 65535.")
  }
  return port
}

function listFaults(session: Session): void {
  const faults = receiverFaultNames.map((name) => {
    const { description, expected } = receiverFaults[name]
    return { name, description, error: expected.error, status: expected.status ?? null }
  })
  session.print(faults, (rows, style) =>
    table(style, rows, [
      { title: "NAME", cell: ({ name }) => name },
      { title: "RECORDED", cell: ({ error }) => error ?? "delivered" },
      { title: "STATUS", cell: ({ status }) => String(status ?? "") },
      { title: "WHAT THE RECEIVER DOES", cell: ({ description }) => description },
    ]),
  )
}

async function receive(session: Session, { port, behave, ...source }: Options): Promise<void> {
  const hasSecret = source.secretEnv !== undefined || source.secretFile !== undefined
  const secret = hasSecret ? await readSecret(session, source) : null
  const receiver = await startFaultyReceiver(behave, {
    port,
    onRequest: (request) => session.print(inspectRequest(request, secret), describeRequest),
  }).catch((error: Error) => {
    if ("code" in error && (error.code === "EADDRINUSE" || error.code === "EACCES"))
      throw failed(`Cannot listen on port ${port} (${error.code}). Give another port with --port.`)
    throw error
  })
  const { description } = receiverFaults[behave]
  session.note(`Listening on ${receiver.url} (${behave}: ${description}) Press Ctrl-C to stop.`)
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")])
  await receiver.close()
}
