import { type ConnectorTriggered, connectorTriggeredSchema, recordReader } from "@sitewire/contracts"
import { batchWrites, isBadRow, type Writing, wasEnded, writeParts } from "@sitewire/database"
import type { ConsumerRecord } from "@sitewire/kafka"
import { processAttributes, type Span, type Tracing } from "@sitewire/runtime"
import type { CompactedTrigger } from "@sitewire/syncs"
import { compactTriggers } from "./compactTriggers.ts"

const readTriggered = recordReader(connectorTriggeredSchema)

export const maxBatch = 16_000

/** A sync starts `SYNC_SETTLE` after its trigger, so triggers may wait for others. One that comes alone is recorded at once. */
export const fetchPauseMs = 100

/** How long a stop waits for triggers while rows are locked, with the time to leave the group. */
export const lockedStopMs = 4_000

type Done = (record: ConsumerRecord) => void
type PendingTrigger = { record: ConsumerRecord; trigger: ConnectorTriggered; span: Span | null; done: Done }

export type IngestTriggersOptions = Writing & {
  /**
   * Records nothing for connections whose rows another transaction has locked, if necessary after a wait of about a second, and
   * returns them in `locked`.
   */
  recordTriggers: (
    triggers: CompactedTrigger[],
    options: { waitForLocks: boolean },
  ) => Promise<{ recorded: number; dueInMs: number | null; locked: string[] }>
  onRecorded: (recorded: { triggers: number; dueInMs: number | null }) => void
  onInvalid: () => void
  onFailed: (error: unknown) => void
  tracing: Tracing
}

/**
 * Handles trigger records. While one statement runs, `onRecords` collects the records for the next. It calls `done` for a record when
 * its trigger is in Postgres. After a crash, Kafka delivers the record again, which causes one needless sync at most.
 *
 * Triggers of a connection whose row is locked are set aside, and recorded when it is free. Their order does not matter, because
 * triggers are only counted. Their records stay outstanding, which limits the memory that they use.
 */
export function createIngestTriggers(options: IngestTriggersOptions) {
  const { recordTriggers, onRecorded, onInvalid, onFailed, tracing, ...writing } = options
  const { retry, expiring, log } = writing
  const waiting: PendingTrigger[] = []
  let recording = false
  /** By connection. */
  const setAside = new Map<string, PendingTrigger[]>()
  const locked = batchWrites({
    ...writing,
    what: "record triggers",
    owner: "connection",
    idOf: (connection: string) => connection,
    bounds: { lingerMs: 2, maxBatch: 500, maxRunning: 1 },
    write: recordSetAside,
  })

  /** Loses no accepted trigger, because the gateway writes by the same schema. */
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

  /** Returns the triggers that were not recorded, because the rows of their connections are locked. */
  async function recordPart(batch: PendingTrigger[], waitForLocks: boolean): Promise<PendingTrigger[]> {
    const compacted = compactTriggers(
      batch.map(({ trigger }) => trigger),
      batch.map(({ span }) => span?.traceparent ?? null),
    )
    const result = await recordTriggers(compacted, { waitForLocks })
    const unknown = compacted.length - result.recorded - result.locked.length
    if (unknown > 0) log.info({ unknown }, "skipped triggers of connections that do not exist")
    const lockedIds = new Set(result.locked)
    const isLocked = ({ trigger }: PendingTrigger) => lockedIds.has(trigger.connection)
    const recorded = lockedIds.size === 0 ? batch : batch.filter((pending) => !isLocked(pending))
    const triggers = recorded.reduce((sum, { trigger }) => sum + trigger.count, 0)
    onRecorded({ triggers, dueInMs: result.dueInMs })
    for (const { record, span, done } of recorded) {
      span?.end()
      done(record)
    }
    return lockedIds.size === 0 ? [] : batch.filter(isLocked)
  }

  async function recordBatch(batch: PendingTrigger[]): Promise<void> {
    // Waits for the first locked row only. While it is locked, no batch waits.
    const write = (part: PendingTrigger[]) => recordPart(part, setAside.size === 0)
    for await (const part of writeParts(batch, write, (work) => retry("record triggers", work))) {
      if ("result" in part) part.result.forEach(setAsideOne)
      else if (wasEnded(part.error)) part.rows.forEach(setAsideOne)
      else
        for (const { record, span, done } of part.rows) {
          skipInvalid(record, "Postgres cannot store one of its values")
          span?.end({ error: "invalid" })
          done(record)
        }
    }
  }

  function setAsideOne(pending: PendingTrigger): void {
    const { connection } = pending.trigger
    const others = setAside.get(connection)
    if (others) return void others.push(pending)
    setAside.set(connection, [pending])
    void recordLocked(connection)
  }

  async function recordLocked(connection: string): Promise<void> {
    const triggers = setAside.get(connection) ?? []
    try {
      while (triggers.length > 0) triggers.splice(0, await locked.write(connection))
    } catch (error) {
      // One of them cannot be stored: a batch finds out which.
      if (isBadRow(error)) waiting.push(...triggers)
      else if (!expiring.aborted) onFailed(error)
    }
    setAside.delete(connection)
    if (!recording) void recordAll()
  }

  /** Returns how many triggers of each connection were recorded. */
  async function recordSetAside(connections: string[]): Promise<(number | "locked")[]> {
    const batch = connections.map((connection) => [...(setAside.get(connection) ?? [])])
    const left = new Set((await recordPart(batch.flat(), false)).map(({ trigger }) => trigger.connection))
    return batch.map(({ length }, at) => (left.has(connections[at] ?? "") ? "locked" : length))
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

  function onRecords(records: ConsumerRecord[], done: Done): void {
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

  /** `waitsForLocks`: whether triggers wait for rows that another transaction has locked. */
  return { onRecords, waitsForLocks: () => setAside.size > 0 }
}
