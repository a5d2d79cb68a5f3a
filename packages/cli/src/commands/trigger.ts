import type { Command } from "commander"
import { callTrigger, type Trigger } from "../callTrigger.ts"
import { examples } from "../examples.ts"
import { Failure, usage } from "../failure.ts"
import { table } from "../printTable.ts"
import { length } from "../printTime.ts"
import type { Setup } from "../program.ts"
import { readCount } from "../readCount.ts"
import type { Session } from "../session.ts"
import type { Style } from "../style.ts"

type Options = { times: number; urlStdin?: boolean }

/** Enough for a burst, and few enough that the times are the gateway's and not this machine's. */
const atOnce = 10
const mostLines = 20

export function addTrigger(parent: Command, { open, outcome }: Setup): void {
  parent
    .command("trigger")
    .description("call a connection's trigger address, as the partner does")
    .argument("[connection]", "the connection's id; its address is asked of the management API")
    .option("--times <n>", `so many calls, up to ${atOnce} at once`, readCount, 1)
    .option(
      "--url-stdin",
      "read the address from standard input instead: it holds a token, and arguments are seen by all",
    )
    .addHelpText(
      "after",
      examples(
        "sitewire trigger bakery",
        "sitewire trigger bakery --times 50",
        "sitewire trigger --url-stdin < address.txt",
      ),
    )
    .action(async (connection: string | undefined, options: Options, command: Command) => {
      const session = open(command)
      const address = await findAddress(session, connection, options)
      const triggers = await callTimes(address, options.times)
      session.show({ data: triggers }, ({ data }, style) => describe(data, style))
      if (triggers.every(({ status }) => status === null)) {
        throw new Failure(
          3,
          `The gateway at ${new URL(address).host} cannot be reached: ${triggers[0]?.error}.`,
        )
      }
      if (!triggers.every(({ status }) => status === 202)) outcome.exitCode = 1
    })
}

async function findAddress(
  session: Session,
  connection: string | undefined,
  { urlStdin }: Options,
): Promise<string> {
  if (urlStdin) {
    if (connection !== undefined) throw usage("Give either a connection or --url-stdin, not both.")
    const text = (await session.readInput("-", "the trigger address")).toString().trim()
    if (URL.canParse(text) && /^https?:/.test(text)) return text
    throw usage("What came from standard input is no http or https URL. Give the whole trigger address.")
  }
  if (connection === undefined)
    throw usage("Name the connection, or give --url-stdin and its address on standard input.")
  if (/[/:]/.test(connection)) {
    throw usage(
      "That is no connection's id. If it is a trigger address: it holds a token, and arguments can be read by every " +
        "process of this machine and stay in the shell's history. Use --url-stdin, and replace the token.",
    )
  }
  return (await session.ask((client) => client.readConnectionAddress(connection))).trigger_url
}

async function callTimes(address: string, times: number): Promise<Trigger[]> {
  const triggers: Trigger[] = []
  let started = 0
  const work = async () => {
    while (started < times) {
      const index = started++
      triggers[index] = await callTrigger(address, index + 1)
    }
  }
  await Promise.all(Array.from({ length: Math.min(times, atOnce) }, work))
  return triggers
}

function describe(triggers: Trigger[], style: Style): string {
  const lines = table(style, triggers.slice(0, mostLines), [
    { title: "#", cell: (trigger) => String(trigger.number), align: "right" },
    {
      title: "STATUS",
      cell: statusText,
      paint: (text, { status }) => style.paint(status === 202 ? "green" : "red", text),
    },
    { title: "TOOK", cell: (trigger) => length(trigger.ms), align: "right" },
    { title: "MEANS", cell: meaning },
  ])
  if (triggers.length === 1) return lines
  const rest = triggers.length > mostLines ? `\n… and ${triggers.length - mostLines} more` : ""
  const counts = Object.entries(Object.groupBy(triggers, statusText)).map(
    ([text, same]) => `${same?.length} × ${text}`,
  )
  const times = triggers.map(({ ms }) => ms).toSorted((a, b) => a - b)
  const at = (part: number) => length(times[Math.floor((times.length - 1) * part)] ?? 0)
  return `${lines}${rest}\n\n${counts.join(", ")}; took ${at(0)} to ${at(1)}, half of them up to ${at(0.5)}`
}

function statusText({ status }: Trigger): string {
  return status === null ? "no answer" : String(status)
}

function meaning({ status, error, retry_after }: Trigger): string {
  if (status === 202) return "accepted: a sync will cover it"
  if (status === 404) return "no such address: its token was replaced, or the connection is not known"
  if (status === 503) return `not promised: call again${retry_after ? ` after ${retry_after} s` : ""}`
  return error ?? ""
}
