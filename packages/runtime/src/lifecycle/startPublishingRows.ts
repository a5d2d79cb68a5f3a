import type { Logger } from "../logging/logger.ts"
import { repeatUntilClosed } from "./repeatUntilClosed.ts"
import { sleepUnlessAborted } from "./sleepUnlessAborted.ts"

const most = 500
/**
 * So many rows wait for Kafka at a time, and half as many before rows are claimed that Kafka did not acknowledge before. So rows of
 * partitions that accept no records do not keep those of the others from being published.
 */
const mostWaiting = 5_000
/** Those that are acknowledged by then are settled, and more are claimed, while the others wait. */
const settleAfterMs = 100

/** A record that Kafka has not acknowledged by then is published again later. */
export const publishWithinMs = 20_000
const leaseMs = 30_000

/** `mostRepeated`: of the rows that were claimed before and not settled. */
export type RowClaim = { most: number; mostRepeated: number; leaseMs: number }

/**
 * Publishes rows of Postgres to Kafka: what a statement has inserted together with what it did. Any process claims the
 * oldest rows, with a lease and not a lock, because a transaction must not last as long as an outage of Kafka.
 *
 * @param claim claims rows that were never claimed first.
 * @param publish returns false if the row must be published again.
 * @param settle records that these rows were published. A kill before it repeats their records.
 */
export function startPublishingRows<Row>({
  claim,
  publish,
  settle,
  intervalMs,
  failed,
  log,
}: {
  claim: (settings: RowClaim) => Promise<Row[]>
  publish: (row: Row) => Promise<boolean>
  settle: (rows: Row[]) => Promise<void>
  intervalMs: number
  /** Logged at the first of failures in a row. */
  failed: string
  log: Logger
}): { close(): Promise<void> } {
  const waiting = new Set<Promise<void>>()
  let acknowledged: Row[] = []

  async function publishRow(row: Row): Promise<void> {
    if (await publish(row)) acknowledged.push(row)
  }

  function start(row: Row): Promise<void> {
    const publishing = publishRow(row).finally(() => waiting.delete(publishing))
    waiting.add(publishing)
    return publishing
  }

  /** Those that could not be settled are settled by the next call. */
  async function settleAcknowledged(): Promise<void> {
    const rows = [...acknowledged]
    if (rows.length > 0) await settle(rows)
    acknowledged = acknowledged.slice(rows.length)
  }

  async function step(signal: AbortSignal): Promise<void> {
    // Before their leases end and they are claimed again.
    await settleAcknowledged()
    for (let last = most; last === most && !signal.aborted; ) {
      const free = Math.min(most, mostWaiting - waiting.size)
      const mostRepeated = waiting.size < mostWaiting / 2 ? free : 0
      const rows = free > 0 ? await claim({ most: free, mostRepeated, leaseMs }) : []
      last = rows.length
      await Promise.race([Promise.all(rows.map(start)), sleepUnlessAborted(settleAfterMs, signal)])
      await settleAcknowledged()
    }
  }

  const repeated = repeatUntilClosed({ step, intervalMs, failed, log })
  return {
    async close() {
      await repeated.close()
      await Promise.allSettled(waiting)
      await settleAcknowledged().catch((error: unknown) => log.warn({ error }, failed))
    },
  }
}
