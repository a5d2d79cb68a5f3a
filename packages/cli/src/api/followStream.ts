import { setTimeout as sleep } from "node:timers/promises"
import type { StreamEvent } from "@sitewire/contracts"
import type { Input } from "@sitewire/contracts/client"
import { Failure, failed } from "../errors/failure.ts"
import type { Session } from "../session/createSession.ts"
import type { Client } from "./client.ts"

const reconnectMs = 2_000
/** The API sends an event at least every ten seconds. After a longer silence, the connection counts as lost. */
const silenceMs = 30_000

/** A delivery is stored when its first attempt ends, and a sync ends within this time of its start. */
const lastsMs = 60_000
const mostMissed = 100

type Following<Change> = {
  /** Called when the stream is open for the first time, before its first event, with the time of the API's clock. */
  onOpen?: (at: Date) => Promise<void> | void
  /** Reads again after an interruption: the newest `limit` since this time, oldest first. */
  readMissed: (client: Client, limit: number, since: string) => Promise<Change[]>
}

/** For the notes of a command. `what`: those that `readMissed` finds. */
export const afterInterruption = (what: string) =>
  `After an interruption, the newest ${mostMissed} ${what} meanwhile are printed, some of them twice.`

/**
 * Calls `onChange` for each change of one kind until the command is interrupted. Reconnects after an interruption, and
 * then reads again. Rejects if the first connection fails, or if the API rejects a later one.
 */
export async function followStream<Change>(
  session: Session,
  query: Input<"openStream"> & { event: StreamEvent },
  onChange: (change: Change) => void,
  { onOpen, readMissed }: Following<Change>,
): Promise<void> {
  const signal = session.interrupted()
  /** All changes until then were received. Undefined: there was no connection yet. */
  let followedUntil: Date | undefined

  function handle({ event, data }: ServerEvent): void {
    if (event === "reset") session.note("Some changes were missed, because there were too many.")
    else if (event === "heartbeat") followedUntil = new Date(JSON.parse(data).at)
    else if (event !== "end") onChange(JSON.parse(data))
  }

  async function connect(): Promise<void> {
    const silence = new AbortController()
    const timer = setTimeout(() => silence.abort(), silenceMs)
    try {
      const either = AbortSignal.any([signal, silence.signal])
      const response = await session.callApi((client) =>
        client.openStream(query, { accept: "text/event-stream", signal: either }),
      )
      if (!response.body) throw failed("The response to GET /v1/stream has no body. Check the address.")
      if (followedUntil) {
        const since = new Date(followedUntil.getTime() - lastsMs).toISOString()
        for (const change of await session.callApi((client) => readMissed(client, mostMissed, since)))
          onChange(change)
      } else {
        const at = new Date(response.headers.get("date") ?? Date.now())
        await onOpen?.(at)
        followedUntil = at
        session.note("Following changes. Press Ctrl-C to stop.")
      }
      for await (const event of readEvents(response.body)) {
        timer.refresh()
        handle(event)
      }
    } finally {
      clearTimeout(timer)
    }
  }

  while (!signal.aborted) {
    try {
      await connect()
    } catch (error) {
      if (signal.aborted) return
      if (!followedUntil || isPermanent(error)) throw error
    }
    if (signal.aborted) return
    session.note("The stream was interrupted. It continues as soon as the API responds.")
    await sleep(reconnectMs, undefined, { signal }).catch(() => {})
  }
}

function isPermanent(error: unknown): boolean {
  const status = error instanceof Failure ? error.problem?.status : undefined
  return status !== undefined && status >= 400 && status < 500 && status !== 429
}

type ServerEvent = { event: string; data: string }

/** The events of a response in the format of server-sent events. */
async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder()
  let text = ""
  for await (const chunk of body) {
    const blocks = (text + decoder.decode(chunk, { stream: true })).split("\n\n")
    text = blocks.pop() ?? ""
    for (const block of blocks) {
      const fields = new Map(block.split("\n").map(parseField))
      const event = fields.get("event")
      const data = fields.get("data")
      if (event !== undefined && data !== undefined) yield { event, data }
    }
  }
}

function parseField(line: string): [name: string, value: string] {
  const colon = line.indexOf(": ")
  return colon < 0 ? [line, ""] : [line.slice(0, colon), line.slice(colon + 2)]
}
