import { Option } from "commander"
import { z } from "zod"
import type { CliCommand } from "../command.ts"
import { describeNetworkError } from "../errors/describeNetworkError.ts"
import { exitCodes } from "../errors/exitCodes.ts"
import { incorrectUsage, unreachable } from "../errors/failure.ts"
import { parseCount } from "../options/pageOptions.ts"
import type { Style } from "../output/style.ts"
import { table } from "../output/table.ts"
import { duration } from "../output/time.ts"
import type { Session } from "../session/createSession.ts"

const triggerCallSchema = z
  .object({
    number: z.int(),
    /** Null if there was no response; `error` then states why. */
    status: z.int().nullable(),
    ms: z.number(),
    error: z.string().nullable(),
    retry_after: z.string().nullable(),
  })
  .meta({ id: "TriggerCall" })

type TriggerCall = z.infer<typeof triggerCallSchema>

type Options = { times: number; urlStdin?: boolean }

/**
 * With more concurrent calls, calls would wait for each other on this machine, and the printed durations
 * would include that time.
 */
const maxConcurrency = 10

export const trigger: CliCommand = {
  name: "trigger",
  description: "call a connection's trigger URL, as the partner does",
  arguments: [["[connection]", "the connection's id; its trigger URL is read from the management API"]],
  options: [
    new Option("--times <n>", `the number of calls, up to ${maxConcurrency} of them concurrently`)
      .argParser(parseCount)
      .default(1),
    new Option(
      "--url-stdin",
      "read the trigger URL from standard input; not an argument, because it contains a secret token",
    ),
  ],
  notes: "Exactly one of the connection and --url-stdin is required.",
  examples: [
    "sitewire trigger bakery",
    "sitewire trigger bakery --times 50",
    "sitewire trigger --url-stdin < url.txt",
  ],
  json: z.object({ data: z.array(triggerCallSchema) }),
  async run(session, [connection], options: Options) {
    const triggerUrl = await findTriggerUrl(session, connection, options)
    const calls = await callRepeatedly(triggerUrl, options.times)
    session.print({ data: calls }, ({ data }, style) => describeCalls(data, style))
    if (calls.every(({ status }) => status === null)) {
      throw unreachable(
        `The gateway at ${new URL(triggerUrl).host} cannot be reached: ${calls[0]?.error}. ` +
          "Check that it runs; on this machine: npm start.",
      )
    }
    if (!calls.every(({ status }) => status === 202)) session.outcome.exitCode = exitCodes.failed
  },
}

async function findTriggerUrl(
  session: Session,
  connection: string | undefined,
  { urlStdin }: Options,
): Promise<string> {
  if (urlStdin) {
    if (connection !== undefined) throw incorrectUsage("Give either a connection or --url-stdin, not both.")
    const text = (await session.readInput("-", "the trigger URL")).toString().trim()
    if (URL.canParse(text) && /^https?:/.test(text)) return text
    throw incorrectUsage("Standard input is not an http or https URL. Give the whole trigger URL.")
  }
  if (connection === undefined) {
    throw incorrectUsage("The connection is missing. Give its id, or its trigger URL with --url-stdin.")
  }
  return (await session.callApi((client) => client.readConnectionTriggerUrl({ id: connection }))).trigger_url
}

async function callRepeatedly(triggerUrl: string, times: number): Promise<TriggerCall[]> {
  const calls: TriggerCall[] = []
  let started = 0
  const work = async () => {
    while (started < times) {
      const index = started++
      calls[index] = await callTrigger(triggerUrl, index + 1)
    }
  }
  await Promise.all(Array.from({ length: Math.min(times, maxConcurrency) }, work))
  return calls
}

const timeoutMs = 15_000

/** Sends an empty POST, as a partner does. The result does not contain the URL, which is a secret. */
async function callTrigger(triggerUrl: string, number: number): Promise<TriggerCall> {
  const start = performance.now()
  const elapsed = () => Math.round((performance.now() - start) * 10) / 10
  try {
    const response = await fetch(triggerUrl, {
      method: "POST",
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    })
    const ms = elapsed()
    // A connection with an unread body cannot be reused for the next calls.
    await response.body?.cancel()
    const retry_after = response.headers.get("retry-after")
    return { number, status: response.status, ms, error: null, retry_after }
  } catch (error) {
    return { number, status: null, ms: elapsed(), error: describeNetworkError(error), retry_after: null }
  }
}

const maxRows = 20

function describeCalls(calls: TriggerCall[], style: Style): string {
  const rows = table(style, calls.slice(0, maxRows), [
    { title: "#", cell: (call) => String(call.number), align: "right" },
    {
      title: "STATUS",
      cell: statusText,
      paint: (text, { status }) => style.paint(status === 202 ? "green" : "red", text),
    },
    { title: "DURATION", cell: (call) => duration(call.ms), align: "right" },
    { title: "MEANING", cell: meaning },
  ])
  if (calls.length === 1) return rows
  const rest = calls.length > maxRows ? `\n… and ${calls.length - maxRows} more` : ""
  const statuses = calls.map(statusText).toSorted()
  const counts = [...new Set(statuses)].map(
    (text) => `${statuses.filter((status) => status === text).length} × ${text}`,
  )
  const sorted = calls.map(({ ms }) => ms).toSorted((a, b) => a - b)
  const quantile = (q: number) => duration(sorted[Math.floor((sorted.length - 1) * q)] ?? 0)
  const durations = `min ${quantile(0)}, median ${quantile(0.5)}, max ${quantile(1)}`
  return `${rows}${rest}\n\n${counts.join(", ")}; durations: ${durations}`
}

function statusText({ status }: TriggerCall): string {
  return status === null ? "no response" : String(status)
}

function meaning({ status, error, retry_after }: TriggerCall): string {
  if (status === 202) return "accepted: a sync will cover it"
  if (status === 404) return "unknown trigger URL: its token was replaced, or the connection does not exist"
  if (status === 503) return `not accepted: call again${retry_after ? ` after ${retry_after} s` : ""}`
  return error ?? ""
}
