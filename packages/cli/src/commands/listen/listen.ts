import { once } from "node:events"
import type { ServerResponse } from "node:http"
import { fields } from "@sitewire/contracts/views"
import { InvalidArgumentError, Option } from "commander"
import { z } from "zod"
import type { CliCommand } from "../../command.ts"
import { fieldTable } from "../../derive/viewText.ts"
import { failed, incorrectUsage } from "../../errors/failure.ts"
import {
  type Received,
  type ReceiverFaultName,
  receiverFaultNames,
  receiverFaults,
  startFaultyReceiver,
  startReceiver,
} from "../../receivers/index.ts"
import type { Session } from "../../session/createSession.ts"
import { readSecret, type SecretOptions, secretOptions } from "../../session/readSecret.ts"
import { forwardDelivery } from "./forwardDelivery.ts"
import { describeRequest, inspectedRequestSchema, inspectRequest } from "./inspectRequest.ts"
import { relayDeliveries } from "./relayDeliveries.ts"

type Options = SecretOptions & {
  port: number
  behave: ReceiverFaultName
  list?: true
  forward?: string
  channel?: string
}

const faultSchema = z
  .object({
    name: z.string(),
    description: z.string(),
    error: z.string().nullable(),
    status: z.int().nullable(),
  })
  .meta({ id: "ReceiverFault" })

export const listen: CliCommand = {
  name: "listen",
  description:
    "receive deliveries on 127.0.0.1, or follow those of a channel, and print each and whether its signature is valid",
  options: [
    new Option("--port <number>", "the port to listen on; 0 chooses a free one")
      .argParser(parsePort)
      .default(8098),
    new Option("--behave <name>", "simulate one of the faults that --list prints")
      .choices(receiverFaultNames)
      .default("no-content"),
    new Option(
      "--forward <url>",
      "send deliveries whose signature is valid on to this address, and respond as it does; needs the secret or a channel",
    ).conflicts(["behave", "list"]),
    new Option(
      "--channel <id>",
      "follow the real deliveries of this channel instead of listening; needs a key of the channel",
    ).conflicts(["port", "behave", "list"]),
    new Option("--list", "print the faults, and what Sitewire records for each"),
    ...secretOptions,
  ],
  notes:
    "Runs until it is interrupted (Ctrl-C). The bodies that it prints contain personal data.\n" +
    "--forward sends the same headers and the same bytes, so that the address can verify the signature itself. A request\n" +
    "with an invalid signature is not forwarded, and gets 401.\n" +
    "With --channel, no tunnel is needed: each attempt is followed, also resends, and its request is printed and forwarded with\n" +
    "its own bytes and signatures. What the address responds changes nothing. The audit log shows that the bodies were read.",
  examples: [
    "sitewire listen",
    "read -rs SECRET && export SECRET && sitewire listen --port 4000 --secret-env SECRET",
    "sitewire listen --secret-env SECRET --forward http://127.0.0.1:3000/sitewire",
    "sitewire listen --channel acme --forward http://localhost:3000/webhook",
    "sitewire listen --behave drips-header",
    "sitewire listen --list",
  ],
  json: z.union([inspectedRequestSchema, z.array(faultSchema)]),
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
  const columns = fields<(typeof faults)[number]>(
    "name",
    ["error", { label: "recorded", none: "delivered" }],
    "status",
    ["description", { label: "what the receiver does" }],
  )
  session.print(faults, (rows, style) => fieldTable(columns, rows, style))
}

async function receive(
  session: Session,
  { port, behave, forward, channel, ...source }: Options,
): Promise<void> {
  const hasSecret = source.secretEnv !== undefined || source.secretFile !== undefined
  const secret = hasSecret ? await readSecret(session, source) : null
  const target = forward === undefined ? null : readTarget(forward)
  if (channel !== undefined) {
    await relayDeliveries(session, { channel, target, secret })
    return
  }
  if (target && secret === null) {
    throw incorrectUsage(
      "--forward needs the channel's secret, to forward nothing but deliveries: --secret-env NAME. Or follow a channel's: --channel ID.",
    )
  }
  const starting = target
    ? startForwarding(session, { port, target, secret })
    : startFaultyReceiver(behave, {
        port,
        onRequest: (request) => session.print(inspectRequest(request, secret), describeRequest),
      })
  const receiver = await starting.catch((error: Error) => {
    if ("code" in error && (error.code === "EADDRINUSE" || error.code === "EACCES"))
      throw failed(`Cannot listen on port ${port} (${error.code}). Give another port with --port.`)
    throw error
  })
  const { description } = receiverFaults[behave]
  const what = target ? `forwarding to ${target.origin}${target.pathname}` : `${behave}: ${description}`
  const interrupted = once(session.interrupted(), "abort")
  session.note(`Listening on ${receiver.url} (${what}) Press Ctrl-C to stop.`)
  await interrupted
  await receiver.close()
}

function startForwarding(
  session: Session,
  { port, target, secret }: { port: number; target: URL; secret: Buffer | null },
) {
  const respond = async (request: Received, response: ServerResponse) => {
    const inspected = inspectRequest(request, secret)
    const forwarded = inspected.signature?.valid ? await forwardDelivery(target, request) : null
    session.print({ ...inspected, forwarded }, describeRequest)
    response.on("error", () => {})
    // 502: there was no response. 401: not forwarded.
    response.writeHead(forwarded ? (forwarded.status ?? 502) : 401).end(forwarded?.body)
  }
  return startReceiver((request, response) => void respond(request, response), { port })
}

function readTarget(text: string): URL {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return new URL(text)
  throw incorrectUsage("--forward is not an http or https URL. Give it as http://127.0.0.1:3000/path.")
}
