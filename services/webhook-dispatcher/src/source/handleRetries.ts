import { type RetryRecord, recordReader, retryRecordSchema } from "@sitewire/contracts"
import type { ClaimedDelivery } from "@sitewire/deliveries"
import type { ConsumerRecord } from "@sitewire/kafka"
import type { Logger } from "@sitewire/runtime"
import type { DispatcherMetrics } from "../metrics.ts"

const readRetryRecord = recordReader(retryRecordSchema)

type Wake = RetryRecord & { previousAttempt: string | null }

export type HandleRetriesParts = {
  claim: (wakes: RetryRecord[]) => Promise<ClaimedDelivery[]>
  /** Resolves when the delivery is finished. Never rejects. */
  start: (due: ClaimedDelivery) => Promise<void>
  metrics: Pick<DispatcherMetrics, "stale">
  log: Logger
}

/**
 * Claims the deliveries that records of the retry topics wake, and attempts them. A record that is lost, late, repeated or unreadable
 * costs nothing, because the poll finds what is due. It is done when its attempt is, so that no more are consumed than can be
 * attempted.
 */
export function createHandleRetries({ claim, start, metrics, log }: HandleRetriesParts) {
  return async function handleRetries(
    records: ConsumerRecord[],
    done: (record: ConsumerRecord) => void,
  ): Promise<void> {
    const wakes = new Map<string, Wake & { records: ConsumerRecord[] }>()
    for (const record of records) {
      const wake = parse(record)
      if (wake === null) done(record)
      else {
        const { records: earlier = [] } = wakes.get(wake.delivery) ?? {}
        wakes.set(wake.delivery, { ...wake, records: [...earlier, record] })
      }
    }
    const claimed = await claimAll([...wakes.values()])
    const finishing = claimed.map(async (due) => {
      const wake = wakes.get(due.id)
      wakes.delete(due.id)
      await start({ ...due, previousAttempt: wake?.previousAttempt ?? null })
      wake?.records.forEach(done)
    })
    for (const { records: stale } of wakes.values()) stale.forEach(done)
    metrics.stale.inc(wakes.size)
    await Promise.all(finishing)
  }

  async function claimAll(wakes: RetryRecord[]): Promise<ClaimedDelivery[]> {
    if (wakes.length === 0) return []
    try {
      return await claim(wakes)
    } catch (error) {
      log.debug({ error }, "due deliveries could not be claimed; the poll finds them")
      return []
    }
  }

  /** Returns null for an unreadable record. */
  function parse(record: ConsumerRecord): Wake | null {
    const result = readRetryRecord(record.value)
    if (result.ok) return { ...result.value, previousAttempt: record.headers.traceparent ?? null }
    const { topic, partition, offset } = record
    log.error(
      { topic, partition, offset, reason: result.reason },
      "a retry record cannot be read; it is dropped, and the poll finds its delivery when it is due",
    )
    return null
  }
}
