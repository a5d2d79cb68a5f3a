import { type ConnectorTriggered, connectorTriggeredSchema, recordReader } from "@sitewire/contracts"
import type { CompactedTrigger } from "@sitewire/database"
import type { ConsumerRecord } from "@sitewire/kafka"
import { type Logger, processAttributes, type Span, type Tracing } from "@sitewire/runtime"
import { compactTriggers } from "./compactTriggers.ts"

const readTriggered = recordReader(connectorTriggeredSchema)

export const maxBatch = 16_000

type Done = (record: ConsumerRecord) => void
type PendingTrigger = { record: ConsumerRecord; trigger: ConnectorTriggered; span: Span | null; done: Done }

export type IngestTriggersOptions = {
  /** Retries while Postgres is unavailable. */
  recordTriggers: (triggers: CompactedTrigger[]) => Promise<{ recorded: number; dueInMs: number | null }>
  isInvalidTrigger: (error: unknown) => boolean
  onRecorded: (recorded: { triggers: number; dueInMs: number | null }) => void
  onInvalid: () => void
  onFailed: (error: unknown) => void
  tracing: Tracing
  log: Logger
}

/**
 * Returns the handler of trigger records. While one statement runs, the handler collects the records for the
 * next. It calls `done` for a record when its trigger is in Postgres, so that the consumer commits its
 * offset. After a crash before that commit, Kafka delivers the record again, which causes one needless sync
 * at most.
 */
export function createIngestTriggers(
  options: IngestTriggersOptions,
): (records: ConsumerRecord[], done: Done) => void {
  const { recordTriggers, isInvalidTrigger, onRecorded, onInvalid, onFailed, tracing, log } = options
  const waiting: PendingTrigger[] = []
  let recording = false

  /** This loses no accepted trigger, because the gateway writes its records by the same schema. */
  function skipInvalid({ topic, partition, offset }: ConsumerRecord, reason: string): void {
    onInvalid()
    log.warn({ topic, partition, offset, reason }, "skipped an invalid trigger record")
  }

  /** Continues the gateway's trace. Begins none: if the gateway recorded no trace of a trigger, nobody does. */
  function startSpan(record: ConsumerRecord, { connection, correlation }: ConnectorTriggered): Span | null {
    return tracing.startSpan(record.headers.traceparent ?? null, `process ${record.topic}`, {
      kind: "consumer",
      attributes: {
        ...processAttributes(record),
        "sitewire.connection.id": connection,
        "sitewire.correlation.id": correlation,
      },
    })
  }

  async function recordBatch(batch: PendingTrigger[]): Promise<void> {
    try {
      const compacted = compactTriggers(
        batch.map(({ trigger }) => trigger),
        batch.map(({ span }) => span?.traceparent ?? null),
      )
      const { recorded, dueInMs } = await recordTriggers(compacted)
      const unknown = compacted.length - recorded
      if (unknown > 0) log.info({ unknown }, "skipped triggers of connections that do not exist")
      onRecorded({ triggers: batch.reduce((sum, { trigger }) => sum + trigger.count, 0), dueInMs })
    } catch (error) {
      if (!isInvalidTrigger(error)) throw error
      const [only] = batch
      if (batch.length > 1) {
        const middle = Math.ceil(batch.length / 2)
        await recordBatch(batch.slice(0, middle))
        await recordBatch(batch.slice(middle))
        return
      }
      if (only) {
        skipInvalid(only.record, "Postgres cannot store one of its values")
        only.span?.end({ error: "invalid" })
        only.done(only.record)
        return
      }
    }
    for (const { record, span, done } of batch) {
      span?.end()
      done(record)
    }
  }

  async function recordAll(): Promise<void> {
    recording = true
    try {
      while (waiting.length > 0) await recordBatch(waiting.splice(0, maxBatch))
    } catch (error) {
      onFailed(error)
    } finally {
      recording = false
    }
  }

  return (records, done) => {
    for (const record of records) {
      const read = readTriggered(record.value)
      if (read.ok) {
        // Frees memory while records wait for a statement.
        record.value = null
        waiting.push({ record, trigger: read.value, span: startSpan(record, read.value), done })
      } else {
        skipInvalid(record, read.reason)
        done(record)
      }
    }
    if (!recording && waiting.length > 0) void recordAll()
  }
}
