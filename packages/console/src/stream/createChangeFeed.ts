import type { StreamEvent } from "@sitewire/contracts"
import { errorCodeOf, type Sql } from "@sitewire/database"
import { Gauge, type Logger, type Registry, sleepUnlessAborted } from "@sitewire/runtime"
import { type Caller, sees } from "../auth/caller.ts"
import { readScopes } from "../auth/readScopes.ts"
import { createEventQueue, type EventQueue } from "./eventQueue.ts"
import { type Change, type Changes, readChanges, readPosition } from "./readChanges.ts"
import { formatPosition, parsePosition, type StreamPosition } from "./streamPosition.ts"

/** Postgres's code for a text that is not of a type: `invalid_text_representation`. */
const invalidText = "22P02"
const heartbeatMs = 10_000
/** A stream may resume after an interruption of at most this time. */
const resumableMs = 5 * 60_000
/** Streams end if Postgres has been unavailable for this long, because keys can then not be checked. */
const unavailableMs = 10_000

const maxStreams = 100
const maxStreamsOfKey = 10

type StreamFilter = {
  event?: StreamEvent | undefined
  channel?: string | undefined
  connection?: string | undefined
}

type Subscription = { caller: Caller; filter: StreamFilter; lastEventId: string | null }

type Client = Subscription & { queue: EventQueue; sentAt: number; isNew: boolean }

export type ChangeFeed = {
  /**
   * Every change that is committed after this resolves is sent. Null: there are too many streams, in total or of this API key.
   * Rejects if Postgres is unavailable.
   */
  subscribe(subscription: Subscription): Promise<Pick<EventQueue, "chunks" | "cutOff"> | null>
  close(): Promise<void>
}

/** Sends changes to all streams of this process. It polls Postgres for all together, if there are any. */
export function createChangeFeed({
  sql,
  pollIntervalMs = 1_000,
  log,
  metrics,
}: {
  sql: Sql
  pollIntervalMs?: number
  log: Logger
  metrics: Registry
}): ChangeFeed {
  const clients = new Set<Client>()
  new Gauge({
    name: "sitewire_console_streams",
    help: "Open streams of changes.",
    registers: [metrics],
    collect() {
      this.set(clients.size)
    },
  })
  const closing = new AbortController()
  const { signal } = closing
  let running: Promise<void> | undefined
  /** What was committed before was sent. */
  let position: StreamPosition | undefined

  async function run(from: StreamPosition): Promise<void> {
    position = from
    let availableAt = performance.now()
    while (clients.size > 0 && !signal.aborted) {
      try {
        position = await poll(position)
        availableAt = performance.now()
      } catch (error) {
        if (performance.now() - availableAt > unavailableMs) {
          log.warn({ error, streams: clients.size }, "streams are ended, because Postgres is unavailable")
          endAll("unavailable")
        }
      }
      await sleepUnlessAborted(pollIntervalMs, signal)
    }
    running = undefined
    position = undefined
  }

  async function poll(since: StreamPosition): Promise<StreamPosition> {
    await endRevoked()
    const next = await readPosition(sql)
    // Chosen after the position was read. A client that joins later gets the changes since this position, by the next poll.
    const joining = [...clients].filter((client) => client.isNew)
    for (const [id, alike] of Map.groupBy(joining, ({ lastEventId }) => lastEventId)) {
      if (id !== null) await resume(id, alike, next)
      for (const client of alike) client.isNew = false
    }
    const changes = await readChanges(sql, since, next)
    send(
      changes,
      [...clients].filter((client) => !client.isNew),
    )
    return next
  }

  async function resume(id: string, resuming: Client[], next: StreamPosition): Promise<void> {
    const position = parsePosition(id)
    const isResumable = position !== null && Math.abs(Date.now() - position.atMs) <= resumableMs
    const changes = isResumable ? await readChanges(sql, position, next).catch(nullIfForged) : null
    if (changes) send(changes, resuming)
    else for (const client of resuming) client.queue.push(formatEvent("reset", { reason: "too-old" }))
  }

  function send({ changes, tooMany, next }: Changes, to: Client[]): void {
    const id = formatPosition(next)
    const texts = new Map(changes.map((change) => [change, formatEvent(change.event, change.data)]))
    for (const client of to) {
      const parts = tooMany
        ? [formatEvent("reset", { reason: "too-many" })]
        : changes.filter((change) => isVisible(change, client)).map((change) => texts.get(change) ?? "")
      const isQuiet = performance.now() - client.sentAt >= heartbeatMs
      if (parts.length === 0 && !isQuiet) continue
      // Only the last event has the id: after an interruption, a client gets all of them again, or none.
      parts.push(`id: ${id}\n${formatEvent("heartbeat", { at: new Date(next.atMs).toISOString() })}`)
      client.sentAt = performance.now()
      client.queue.push(parts.join(""))
    }
  }

  /** Ends the streams of keys that were revoked, have expired, or have lost a scope, and of sessions that have ended. */
  async function endRevoked(): Promise<void> {
    const checked = [...clients]
    const valid = await readScopes(
      sql,
      checked.map(({ caller }) => caller),
    )
    for (const client of checked) {
      const scopes = valid.get(client.caller)
      if (!scopes || client.caller.scopes.some((scope) => !scopes.includes(scope))) end(client, "key-invalid")
    }
  }

  function end({ queue }: Client, reason: string): void {
    queue.push(formatEvent("end", { reason }))
    queue.end()
  }

  function endAll(reason: string): void {
    for (const client of clients) end(client, reason)
  }

  return {
    async subscribe(subscription) {
      const { keyId } = subscription.caller
      const ofKey = [...clients].filter(({ caller }) => caller.keyId === keyId).length
      if (signal.aborted || clients.size >= maxStreams || ofKey >= maxStreamsOfKey) return null
      const queue = createEventQueue(() => clients.delete(client))
      const client: Client = { ...subscription, queue, sentAt: Number.NEGATIVE_INFINITY, isNew: true }
      clients.add(client)
      queue.push("retry: 2000\n\n")
      try {
        // Read before the client is told that it follows the changes. The first of several that wait for it starts to poll.
        const from = position ?? (await readPosition(sql))
        // If it ended meanwhile, polling would end before it is known to run, and never begin again.
        if (clients.has(client)) running ??= run(from)
      } catch (error) {
        clients.delete(client)
        throw error
      }
      return queue
    },
    async close() {
      closing.abort()
      endAll("stopping")
      await running
    },
  }
}

/** A client can send any Last-Event-ID, and the other clients must not notice. */
function nullIfForged(error: unknown): null {
  if (errorCodeOf(error) === invalidText) return null
  throw error
}

function isVisible(change: Change, { caller, filter }: Client): boolean {
  if (filter.event !== undefined && filter.event !== change.event) return false
  if (filter.channel !== undefined && filter.channel !== change.channel) return false
  if (filter.connection !== undefined && filter.connection !== change.connection) return false
  if (change.channel !== undefined) return sees(caller.channels, change.channel)
  if (change.connection !== undefined && sees(caller.connections, change.connection)) return true
  if (change.site !== undefined) return sees(caller.sites, change.site)
  return caller.jobs === "all"
}

/** One event of the format of server-sent events. JSON contains no line break. */
function formatEvent(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
