import { type ConnectorTriggered, connectorTriggeredSchema, recordReader } from "@sitewire/contracts"
import type { Incoming } from "@sitewire/kafka"
import type { Logger } from "@sitewire/runtime"
import { type CompactedTrigger, compactTriggers } from "./compactTriggers.ts"

const readTriggered = recordReader(connectorTriggeredSchema)

/** Records that one statement takes in, at most: bounds its size, and what is repeated if it fails. */
export const maxBatch = 16_000

type Done = (record: Incoming) => void
type Taken = { record: Incoming; trigger: ConnectorTriggered; done: Done }

export type TakeTriggersOptions = {
  /** Resolves when the triggers are in Postgres; waits while that is away. */
  raise: (triggers: CompactedTrigger[]) => Promise<{ raised: number; dueInMs: number | null }>
  /** True where the statement can never take these triggers, whatever is tried. */
  isRefused: (error: unknown) => boolean
  onRaised: (raised: { triggers: number; dueInMs: number | null }) => void
  onRefused: () => void
  /** Triggers could be neither taken in nor refused: they are left undone, which holds up the commit. */
  onStuck: (error: unknown) => void
  log: Logger
}

/**
 * The way in: gathers records while a statement is running, and raises all of them with the next one. A record is done
 * when its trigger is in Postgres, so a crash brings it again; then it is raised twice and costs a sync at most.
 *
 * Every batch is raised, also for connections that are known to be waiting in this window. Leaving them out would lose
 * counts (`requested` is what a run says it covered), last times, and the end of a retry's distance; and it could lose
 * a trigger: that a connection waits is known here only as of some earlier statement, and another scheduler may have
 * claimed it since, in which case nothing would be left to open the next window. Only the raise itself, under the
 * row's lock, can tell the two apart. Compacting already makes of a burst one row for each connection and statement.
 */
export function takeTriggers(options: TakeTriggersOptions): (records: Incoming[], done: Done) => void {
  const { raise, isRefused, onRaised, onRefused, onStuck, log } = options
  const waiting: Taken[] = []
  let raising = false

  /**
   * A record that cannot be read loses nobody's trigger: the gateway answers 202 only for records that it wrote
   * itself, by this schema, and without a connection's id there is nothing to sync.
   */
  function refuse({ topic, partition, offset }: Incoming, reason: string): void {
    onRefused()
    log.warn({ topic, partition, offset, reason }, "a trigger record cannot be used; it is passed over")
  }

  async function raiseBatch(batch: Taken[]): Promise<void> {
    try {
      const compacted = compactTriggers(batch.map(({ trigger }) => trigger))
      const { raised, dueInMs } = await raise(compacted)
      const unknown = compacted.length - raised
      if (unknown > 0) log.info({ unknown }, "triggers of connections that do not exist are passed over")
      onRaised({ triggers: batch.reduce((sum, { trigger }) => sum + trigger.count, 0), dueInMs })
    } catch (error) {
      if (!isRefused(error)) throw error
      // One of them is at fault, such as an id with a character that Postgres cannot hold; halving finds it.
      const [only] = batch
      if (batch.length > 1) {
        const middle = Math.ceil(batch.length / 2)
        await raiseBatch(batch.slice(0, middle))
        await raiseBatch(batch.slice(middle))
        return
      }
      if (only) refuse(only.record, "Postgres cannot hold a value of it")
    }
    for (const { record, done } of batch) done(record)
  }

  async function raiseAll(): Promise<void> {
    raising = true
    try {
      while (waiting.length > 0) await raiseBatch(waiting.splice(0, maxBatch))
    } catch (error) {
      onStuck(error)
    } finally {
      raising = false
    }
  }

  return (records, done) => {
    for (const record of records) {
      const read = readTriggered(record.value)
      if (read.ok) {
        // Tens of thousands may wait for a statement; what was read of them is enough.
        record.value = null
        waiting.push({ record, trigger: read.value, done })
      } else {
        refuse(record, read.reason)
        done(record)
      }
    }
    if (!raising && waiting.length > 0) void raiseAll()
  }
}
