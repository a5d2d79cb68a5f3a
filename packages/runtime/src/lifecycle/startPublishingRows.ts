import type { Logger } from "../logging/logger.ts"
import { repeatUntilClosed } from "./repeatUntilClosed.ts"

const most = 500

/** A record that Kafka has not acknowledged by then is published again later. */
export const publishWithinMs = 20_000
const leaseMs = 30_000

/**
 * Publishes rows of Postgres to Kafka: what a statement has inserted together with what it did. Any process claims the
 * oldest rows, with a lease and not a lock, because a transaction must not last as long as an outage of Kafka.
 *
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
  claim: (settings: { most: number; leaseMs: number }) => Promise<Row[]>
  publish: (row: Row) => Promise<boolean>
  settle: (rows: Row[]) => Promise<void>
  intervalMs: number
  /** Logged at the first of failures in a row. */
  failed: string
  log: Logger
}): { close(): Promise<void> } {
  async function step(signal: AbortSignal): Promise<void> {
    for (let last = most; last === most && !signal.aborted; ) {
      const rows = await claim({ most, leaseMs })
      last = rows.length
      if (last === 0) return
      const results = await Promise.all(rows.map(publish))
      const published = rows.filter((_, at) => results[at])
      if (published.length > 0) await settle(published)
    }
  }

  return repeatUntilClosed({ step, intervalMs, failed, log })
}
