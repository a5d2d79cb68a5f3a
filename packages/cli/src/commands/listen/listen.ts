import { once } from "node:events"
import {
  type Received,
  type ReceiverFaultName,
  receiverFaultNames,
  receiverFaults,
  startFaultyReceiver,
} from "@sitewire/receiver"
import { type Command, InvalidArgumentError, Option } from "commander"
import { examples } from "../../examples.ts"
import { failed } from "../../errors/failure.ts"
import { jsonText, plain } from "../../output/escapeControls.ts"
import { table } from "../../output/table.ts"
import type { Setup } from "../../program.ts"
import { readSecret, type SecretOptions } from "../../session/readSecret.ts"
import type { Session } from "../../session/openSession.ts"
import type { Style } from "../../output/style.ts"
import { describe } from "../../signature/describeExplanation.ts"
import { type Explanation, explain } from "../../signature/explainSignature.ts"

type Options = SecretOptions & { port: number; behave: ReceiverFaultName; list?: true }

type Delivery = {
  at: string
  method: string
  path: string
  headers: Received["headers"]
  body: string
  /** null: no secret was given to check it with. */
  signature: Explanation | null
}

export function addListen(parent: Command, { open }: Setup): void {
  parent
    .command("listen")
    .description("receive deliveries on 127.0.0.1, print each with its signature's verdict, and answer 204")
    .option("--port <number>", "the port to listen on; 0 picks a free one", readPort, 8098)
    .addOption(
      new Option("--behave <name>", "misbehave in one of the ways that --list shows")
        .choices(receiverFaultNames)
        .default("no-content"),
    )
    .option("--list", "print the ways to behave, and what Sitewire records of each")
    .option("--secret-env <name>", "the environment variable that holds the channel's secret")
    .option("--secret-file <file>", "the file that holds the secret, taken byte for byte")
    .addHelpText("after", "\nRuns until it is interrupted. The bodies it prints hold personal data.")
    .addHelpText(
      "after",
      examples(
        "sitewire listen",
        "read -rs SECRET && export SECRET && sitewire listen --port 4000 --secret-env SECRET",
        "sitewire listen --behave drips-header",
        "sitewire listen --list",
      ),
    )
    .action(async (options: Options, command: Command) => {
      const session = open(command)
      if (options.list) showZoo(session)
      else await listen(session, options)
    })
}

function readPort(text: string): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535) {
    throw new InvalidArgumentError("It must be a whole number from 0 to 65535.")
  }
  return port
}

function showZoo(session: Session): void {
  const rows = receiverFaultNames.map((name) => {
    const { description, expected } = receiverFaults[name]
    return { name, description, error: expected.error, status: expected.status ?? null }
  })
  session.show(rows, (ways, style) =>
    table(style, ways, [
      { title: "NAME", cell: ({ name }) => name },
      { title: "RECORDED", cell: ({ error }) => error ?? "delivered" },
      { title: "STATUS", cell: ({ status }) => String(status ?? "") },
      { title: "WHAT IT DOES", cell: ({ description }) => description },
    ]),
  )
}

async function listen(session: Session, { port, behave, ...where }: Options): Promise<void> {
  const checked = where.secretEnv !== undefined || where.secretFile !== undefined
  const secret = checked ? await readSecret(session, where) : null
  const partner = await startFaultyReceiver(behave, {
    port,
    onRequest: (request) => session.show(read(request, secret), print),
  }).catch((error: Error) => {
    if ("code" in error && (error.code === "EADDRINUSE" || error.code === "EACCES"))
      throw failed(`Port ${port} cannot be listened on (${error.code}). Give another one with --port.`)
    throw error
  })
  session.note(
    `Listening on ${partner.url} (${behave}: ${receiverFaults[behave].description}) Ctrl-C ends it.`,
  )
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")])
  await partner.close()
}

function read({ at, method, path, headers, body }: Received, secret: Buffer | null): Delivery {
  // An installation may have given its service another name: X-<Service>-Signature.
  const name = Object.keys(headers).find((header) => /^x-[a-z0-9]+-signature$/.test(header))
  const header = String(headers[name ?? ""] ?? "")
  return {
    at: new Date(at).toISOString(),
    method,
    path,
    headers,
    body: body.toString(),
    signature: secret && explain({ body, secret, header }),
  }
}

function print({ at, method, path, headers, body, signature }: Delivery, style: Style): string {
  const head = Object.entries(headers).map(
    ([name, value]) => `${style.paint("dim", `${name}:`)} ${plain(String(value))}`,
  )
  const verdict = signature
    ? describe(signature, style)
    : "not checked: give the secret with --secret-env or --secret-file"
  return [
    `${style.paint("bold", `${method} ${plain(path)}`)}  ${style.moment(at)}`,
    ...head,
    `${style.paint("dim", "signature:")} ${verdict}`,
    pretty(body),
    "",
  ].join("\n")
}

function pretty(body: string): string {
  try {
    return jsonText(JSON.parse(body))
  } catch {
    return plain(body)
  }
}
