import { randomUUID, timingSafeEqual } from "node:crypto"
import { type ConnectorTriggered, hashConnectorToken } from "@sitewire/contracts"
import type { Pool } from "@sitewire/database"
import type { Producer } from "@sitewire/kafka"
import {
  type Logger,
  type Span,
  sendAttributes,
  type Traceparent,
  type Tracing,
  traceFields,
  traceHeaders,
} from "@sitewire/runtime"
import type { GatewayMetrics } from "../metrics.ts"
import type { BatchRun, ReceivedTrigger, TriggerOutcome } from "./batchTriggers.ts"
import type { TriggerUrl } from "./parseTriggerUrl.ts"

export type ProcessBatchParts = {
  readHashes: (connections: string[]) => Promise<Map<string, Buffer>>
  publish: Producer["publish"]
  topic: string
  metrics: GatewayMetrics
  tracing: Tracing
  log: Logger
}

type PublishedTrigger = { record: ConnectorTriggered; traceparent: Traceparent | null }

const notFound: TriggerOutcome = { status: "not found" }
const failed: TriggerOutcome = { status: "unavailable", why: "failed" }

/** After this time, another batch may start, so that a slow partition does not hold up the triggers of the others. */
const releaseAfterMs = 50

const maxLinks = 8

export function createProcessBatch(parts: ProcessBatchParts) {
  const { readHashes, publish, topic, metrics, tracing, log } = parts
  return async (batch: ReceivedTrigger[], { settle, isLate, release }: BatchRun): Promise<void> => {
    metrics.batch("check", batch.length)
    const valid = await checkTokens(batch, readHashes)
    const indexes = new Map<string, number[]>()
    batch.forEach(({ connection }, index) => {
      const known = indexes.get(connection)
      if (!valid[index]) settle(index, notFound)
      else if (known) known.push(index)
      else indexes.set(connection, [index])
    })
    if (indexes.size === 0 || isLate()) return

    const merged = mergeTriggers(batch.filter((_, index) => valid[index]))
    const traceparents = batch.map(({ startSpan }, index) => (valid[index] ? startSpan() : null))
    const isTraced = traceparents.some((traceparent) => traceparent !== null)
    let published: PublishedTrigger[] = []
    let triggers = 0
    function report(): void {
      if (published.length === 0) return
      logPublished(log, published)
      published = []
    }
    const timer = setTimeout(() => {
      release()
      report()
    }, releaseAfterMs)

    /** Continues the trace of the record's first trigger whose trace is recorded, and links to the other triggers. */
    function startSendSpan({ connection, correlation }: ConnectorTriggered): Span | null {
      const traced = (indexes.get(connection) ?? []).flatMap((index) => traceparents[index] ?? [])
      const [first = null, ...others] = traced
      return tracing.startSpan(first, `send ${topic}`, {
        kind: "producer",
        links: others.slice(0, maxLinks),
        attributes: {
          ...sendAttributes(topic),
          "sitewire.connection.id": connection,
          "sitewire.correlation.id": correlation,
        },
      })
    }

    async function publishOne(record: ConnectorTriggered): Promise<void> {
      const settleAll = (outcome: TriggerOutcome) => {
        for (const index of indexes.get(record.connection) ?? []) settle(index, outcome)
      }
      const span = isTraced ? startSendSpan(record) : null
      const traceparent = span?.traceparent ?? null
      try {
        const { connection: key } = record
        await publish([{ topic, key, value: JSON.stringify(record), ...traceHeaders(traceparent) }])
      } catch {
        span?.end({ error: "not-acknowledged" })
        return settleAll(failed)
      }
      span?.end()
      published.push({ record, traceparent })
      triggers += record.count
      settleAll({ status: "accepted", correlation: record.correlation })
    }
    await Promise.all([...merged.values()].map(publishOne))
    clearTimeout(timer)
    if (triggers > 0) metrics.batch("publish", triggers)
    report()
  }
}

/** One record for each connection, whose callers all get its correlation id. */
function mergeTriggers(triggers: readonly ReceivedTrigger[]): Map<string, ConnectorTriggered> {
  const spans = new Map<string, { first: number; last: number; count: number }>()
  for (const { connection, at } of triggers) {
    const span = spans.get(connection)
    if (span) {
      span.first = Math.min(span.first, at)
      span.last = Math.max(span.last, at)
      span.count += 1
    } else {
      spans.set(connection, { first: at, last: at, count: 1 })
    }
  }
  const records = new Map<string, ConnectorTriggered>()
  const texts = new Map<number, string>()
  const format = (at: number) => {
    const known = texts.get(at)
    if (known !== undefined) return known
    const text = new Date(at).toISOString()
    texts.set(at, text)
    return text
  }
  for (const [connection, { first, last, count }] of spans) {
    records.set(connection, {
      connection,
      first_at: format(first),
      last_at: format(last),
      count,
      correlation: randomUUID(),
    })
  }
  return records
}

/** So many records have less than 16 KB, also with traces. The logger cuts longer lists. */
const recordsPerLine = 60

/** So that a trigger can be found by the correlation id in its response. A line for each would be ten thousand lines a second. */
export function logPublished(log: Logger, records: readonly PublishedTrigger[]): void {
  if (!log.isLevelEnabled("info")) return
  for (let start = 0; start < records.length; start += recordsPerLine) {
    const some = records.slice(start, start + recordsPerLine)
    const triggered = some.map(({ record: { connection, correlation, count }, traceparent }) => ({
      connection,
      correlation,
      count,
      ...traceFields(traceparent),
    }))
    log.info({ triggered }, "triggers published")
  }
}

/** For unknown connections, so that the check takes as long as for a wrong token. */
const noHash = Buffer.alloc(32)

/** Hashes are not cached, so that a replaced token is invalid on every gateway at once. */
async function checkTokens(
  triggers: readonly TriggerUrl[],
  readHashes: (connections: string[]) => Promise<Map<string, Buffer>>,
): Promise<boolean[]> {
  const hashes = await readHashes([...new Set(triggers.map(({ connection }) => connection))])
  return triggers.map(({ connection, token }) => {
    const stored = hashes.get(connection)
    const same = timingSafeEqual(hashConnectorToken(token), stored ?? noHash)
    return same && stored !== undefined
  })
}

const statement = "select id, token_sha256 from connection where id = any($1::text[])"

export async function readTokenHashes(
  pool: Pool,
  connections: string[],
  timeoutMs: number,
): Promise<Map<string, Buffer>> {
  // `query_timeout` is the driver's time-out, which also closes the connection to Postgres. The time-out that
  // Postgres itself enforces has no effect if the server has vanished.
  const query = { name: "token-hashes", text: statement, values: [connections], query_timeout: timeoutMs }
  const { rows } = await pool.driver.query<{ id: string; token_sha256: Buffer }>(query)
  return new Map(rows.map((row) => [row.id, row.token_sha256]))
}
