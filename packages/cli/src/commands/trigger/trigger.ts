import { Option } from "commander"
import { z } from "zod"
import type { CliCommand } from "../../command.ts"
import { exitCodes } from "../../errors/exitCodes.ts"
import { incorrectUsage, unreachable } from "../../errors/failure.ts"
import { parseCount } from "../../options/parseCount.ts"
import type { Session } from "../../session/createSession.ts"
import { callTrigger, type TriggerCall, triggerCallSchema } from "./callTrigger.ts"
import { describeCalls } from "./describeCalls.ts"

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
