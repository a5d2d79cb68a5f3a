import { type ConnectorTriggered, connectorTriggeredSchema, recordReader } from "@sitewire/contracts"
import { firstLockPauseMs, longestLockPauseMs, longLockMs, wasEnded, writeParts } from "@sitewire/database"
import type { ConsumerRecord } from "@sitewire/kafka"
import { type Logger, processAttributes, type Span, type Tracing } from "@sitewire/runtime"
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

export type IngestTriggersOptions = {
  /**
   * Records nothing for connections whose rows another transaction has locked, if necessary after a wait of about a second, and
   * returns them in `locked`.
   */
  recordTriggers: (
    triggers: CompactedTrigger[],
    options: { waitForLocks: boolean },
  ) => Promise<{ recorded: number; dueInMs: number | null; locked: string[] }>
  /** Repeats `record` while Postgres is unavailable. */
  retry: <T>(record: () => Promise<T>) => Promise<T>
  onRecorded: (recorded: { triggers: number; dueInMs: number | null }) => void
  onInvalid: () => void
  onFailed: (error: unknown) => void
  tracing: Tracing
  log: Logger
}

/**
 * Handles trigger records. While one statement runs, `onRecords` collects the records for the next. It calls `done` for a record when
 * its trigger is in Postgres. After a crash, Kafka delivers the record again, which causes one needless sync at most.
 *
 * Triggers of a connection whose row is locked are set aside, and tried again with later batches. Their order does not matter, because
 * triggers are only counted. Their records stay outstanding, which limits the memory that they use.
 */
export function createIngestTriggers(options: IngestTriggersOptions) {
  const { recordTriggers, retry, onRecorded, onInvalid, onFailed, tracing, log } = options
  let waiting: PendingTrigger[] = []
  let setAside: PendingTrigger[] = []
  const lockedConnections = trackLockedConnections(log)
  let lockPauseMs = firstLockPauseMs
  let lockTimer: NodeJS.Timeout | undefined
  let recording = false

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

  async function recordPart(batch: PendingTrigger[]) {
    const compacted = compactTriggers(
      batch.map(({ trigger }) => trigger),
      batch.map(({ span }) => span?.traceparent ?? null),
    )
    // Waits for the first locked row only. While it is locked, no batch waits.
    const result = await recordTriggers(compacted, { waitForLocks: !lockedConnections.any() })
    return { ...result, connections: compacted.map(({ connection }) => connection) }
  }

  async function recordBatch(batch: PendingTrigger[]): Promise<void> {
    for await (const part of writeParts(batch, recordPart, retry)) {
      if ("error" in part && wasEnded(part.error)) {
        setAside = setAside.concat(part.rows)
        continue
      }
      let recordedTriggers = part.rows
      if ("result" in part) {
        const { connections, recorded, dueInMs } = part.result
        const locked = new Set(part.result.locked)
        const unknown = connections.length - recorded - locked.size
        if (unknown > 0) log.info({ unknown }, "skipped triggers of connections that do not exist")
        lockedConnections.update(connections, locked)
        if (locked.size > 0) {
          recordedTriggers = part.rows.filter(({ trigger }) => !locked.has(trigger.connection))
          setAside = setAside.concat(part.rows.filter(({ trigger }) => locked.has(trigger.connection)))
        }
        const triggers = recordedTriggers.reduce((sum, { trigger }) => sum + trigger.count, 0)
        onRecorded({ triggers, dueInMs })
      } else
        for (const bad of part.rows) {
          skipInvalid(bad.record, "Postgres cannot store one of its values")
          lockedConnections.update([bad.trigger.connection], new Set())
        }
      for (const { record, span, done } of recordedTriggers) {
        span?.end("error" in part ? { error: "invalid" } : {})
        done(record)
      }
    }
  }

  async function recordAll(): Promise<void> {
    recording = true
    try {
      while (waiting.length > 0) {
        await recordBatch(waiting.splice(0, maxBatch))
        recordSetAsideLater()
      }
    } catch (error) {
      onFailed(error)
    } finally {
      recording = false
    }
  }

  function recordSetAsideLater(): void {
    if (!lockedConnections.any()) lockPauseMs = firstLockPauseMs
    if (setAside.length === 0 || lockTimer) return
    lockTimer = setTimeout(() => {
      lockTimer = undefined
      waiting = setAside.concat(waiting)
      setAside = []
      if (!recording) void recordAll()
    }, lockPauseMs)
    lockPauseMs = Math.min(2 * lockPauseMs, longestLockPauseMs)
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
  return { onRecords, waitsForLocks: lockedConnections.any }
}

/** More are not logged until no row is locked any more. */
const mostReports = 10

function trackLockedConnections(log: Logger) {
  const since = new Map<string, number>()
  const reported = new Set<string>()

  function report(connection: string): void {
    if (reported.has(connection) || reported.size >= mostReports) return
    reported.add(connection)
    log.warn(
      { connection },
      "the row of a connection in sync_window is locked by another transaction, so its triggers wait; others proceed",
    )
  }

  return {
    any: () => since.size > 0,
    /** `tried`: connections whose triggers were to be recorded. `locked`: those of them whose rows are locked. */
    update(tried: readonly string[], locked: ReadonlySet<string>): void {
      if (since.size === 0 && locked.size === 0) return
      const now = performance.now()
      for (const connection of tried) {
        const lockedAt = since.get(connection) ?? now
        if (!locked.has(connection)) since.delete(connection)
        else since.set(connection, lockedAt)
        if (locked.has(connection) && now - lockedAt >= longLockMs) report(connection)
      }
      if (since.size === 0) reported.clear()
    },
  }
}
