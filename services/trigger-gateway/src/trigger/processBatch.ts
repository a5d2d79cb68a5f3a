import { timingSafeEqual } from "node:crypto"
import { type ConnectorTriggered, hashConnectorToken } from "@sitewire/contracts"
import type { Producer } from "@sitewire/kafka"
import { type Span, sendAttributes, type Tracing, traceHeaders } from "@sitewire/runtime"
import type { GatewayMetrics } from "../metrics.ts"
import type { BatchRun, ReceivedTrigger, TriggerOutcome } from "./batchTriggers.ts"
import type { PublishedTrigger } from "./logPublished.ts"
import { mergeTriggers } from "./mergeTriggers.ts"
import type { TriggerUrl } from "./parseTriggerUrl.ts"

export type ProcessBatchParts = {
  readHashes: (connections: string[]) => Promise<Map<string, Buffer>>
  publish: Producer["publish"]
  topic: string
  metrics: GatewayMetrics
  tracing: Tracing
  onPublished: (records: readonly PublishedTrigger[]) => void
}

const notFound: TriggerOutcome = { status: "not found" }
const failed: TriggerOutcome = { status: "unavailable", why: "failed" }

/**
 * After this time, another batch may start although some partitions have not acknowledged this batch's
 * records. So a slow partition does not hold up the triggers of the others.
 */
const releaseAfterMs = 50

const maxLinks = 8

export function createProcessBatch(parts: ProcessBatchParts) {
  const { readHashes, publish, topic, metrics, tracing, onPublished } = parts
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
      onPublished(published)
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

/** Compared if a connection does not exist, so that the check takes as long as for a wrong token. */
const noHash = Buffer.alloc(32)

/**
 * Whether each token is its connection's current one. Hashes are not cached, so that a replaced token is
 * invalid on every gateway at once.
 */
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
