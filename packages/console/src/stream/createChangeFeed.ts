import { PassThrough, type Readable } from "node:stream"
import type { streamQuerySchema } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import { Gauge, type Logger, type Registry, sleepUnlessAborted } from "@sitewire/runtime"
import type { z } from "zod"
import { belongsToPartner, type Caller, sees } from "../auth/caller.ts"
import { readScopes } from "../auth/readScopes.ts"
import { type Change, type Changes, readChanges, readPosition, type StreamPosition } from "./readChanges.ts"

const heartbeatMs = 10_000
/** Streams end if Postgres has been unavailable for this long, because keys can then not be checked. */
const unavailableMs = 10_000

const maxStreams = 100
/** The others are for whoever runs the installation. */
const maxStreamsOfPartners = 50
const maxStreamsOfKey = 10
/** More than this is waiting only if the client does not read. */
const maxWaitingBytes = 4 * 1024 * 1024

type Subscription = { caller: Caller; filter: z.output<typeof streamQuerySchema> }

type Client = Subscription & { queue: PassThrough; sentAt: number }

export type ChangeFeed = {
  /**
   * Every change that is committed after this resolves is sent. Null: there are too many streams: in total, of
   * partners, or of this API key.
   * Rejects if Postgres is unavailable.
   */
  subscribe(subscription: Subscription): Promise<Readable | null>
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
    // A client that joins from here on gets the changes since this position, by the next poll.
    const next = await readPosition(sql)
    send(await readChanges(sql, since, next))
    return next
  }

  function send({ changes, tooMany, next }: Changes): void {
    const texts = new Map(changes.map((change) => [change, formatEvent(change.event, change.data)]))
    for (const client of clients) {
      const parts = tooMany
        ? [formatEvent("reset", { reason: "too-many" })]
        : changes.filter((change) => isVisible(change, client)).map((change) => texts.get(change) ?? "")
      const isQuiet = performance.now() - client.sentAt >= heartbeatMs
      if (parts.length === 0 && !isQuiet) continue
      parts.push(formatEvent("heartbeat", { at: new Date(next.atMs).toISOString() }))
      client.sentAt = performance.now()
      client.queue.write(parts.join(""))
      const waiting = client.queue.writableLength
      if (waiting > maxWaitingBytes)
        client.queue.destroy(new Error(`the client did not read its stream: ${waiting} bytes were waiting`))
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

  function end(client: Client, reason: string): void {
    if (clients.delete(client)) client.queue.end(formatEvent("end", { reason }))
  }

  function endAll(reason: string): void {
    for (const client of clients) end(client, reason)
  }

  function hasRoom({ keyId, scopes }: Caller): boolean {
    const callers = [...clients].map(({ caller }) => caller)
    const ofKey = callers.filter((caller) => caller.keyId === keyId).length
    const ofPartners = callers.filter((caller) => belongsToPartner(caller.scopes)).length
    const isFull =
      clients.size >= maxStreams || (belongsToPartner(scopes) && ofPartners >= maxStreamsOfPartners)
    return ofKey < maxStreamsOfKey && !isFull
  }

  return {
    async subscribe(subscription) {
      if (signal.aborted || !hasRoom(subscription.caller)) return null
      const queue = new PassThrough().once("close", () => clients.delete(client))
      const client: Client = { ...subscription, queue, sentAt: Number.NEGATIVE_INFINITY }
      clients.add(client)
      queue.write("retry: 2000\n\n")
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
