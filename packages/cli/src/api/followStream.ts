import { setTimeout as sleep } from "node:timers/promises"
import type { streamQuerySchema } from "@sitewire/contracts"
import { Failure, failed } from "../errors/failure.ts"
import type { Session } from "../session/createSession.ts"
import type { Query } from "./client.ts"
import { readEvents, type ServerEvent } from "./readEvents.ts"

const reconnectMs = 2_000
/** The API sends an event at least every ten seconds. After a longer silence, the connection counts as lost. */
const silenceMs = 30_000

/**
 * Calls `onEvent` for each event of a stream until the command is interrupted. Reconnects after an interruption, and
 * then continues where it was. Rejects if the first connection fails, or if the API rejects a later one.
 */
export async function followStream(
  session: Session,
  query: Query<typeof streamQuerySchema>,
  onEvent: (event: string, data: unknown) => void,
  /** Called when the stream is open, before its first event, with the time of the API's clock. */
  onOpen: (at: Date) => Promise<void> | void = () => {},
): Promise<void> {
  const signal = session.interrupted()
  let lastEventId: string | undefined
  let wasConnected = false

  function handle({ event, data, id }: ServerEvent): void {
    if (event === "reset") {
      session.note("Some changes were missed, because there were too many or the interruption was too long.")
    } else if (event !== "heartbeat" && event !== "end") {
      onEvent(event, JSON.parse(data))
    }
    lastEventId = id ?? lastEventId
  }

  async function connect(): Promise<void> {
    const silence = new AbortController()
    const timer = setTimeout(() => silence.abort(), silenceMs)
    try {
      const either = AbortSignal.any([signal, silence.signal])
      const response = await session.callApi((client) =>
        client.openStream(query, { lastEventId, signal: either }),
      )
      if (!response.body) throw failed("The response to GET /v1/stream has no body. Check the address.")
      if (!wasConnected) {
        await onOpen(new Date(response.headers.get("date") ?? Date.now()))
        session.note("Following changes. Press Ctrl-C to stop.")
      }
      wasConnected = true
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
      if (!wasConnected || isPermanent(error)) throw error
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
