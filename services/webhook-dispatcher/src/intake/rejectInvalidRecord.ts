import { firstRejectedAt, invalidRecordHeaders } from "@sitewire/contracts"
import type { ConsumerRecord } from "@sitewire/kafka"
import type { Logger } from "@sitewire/runtime"
import type { Publish } from "../createPublish.ts"
import type { DispatcherMetrics } from "../metrics.ts"

export type RejectInvalidRecord = (record: ConsumerRecord, reason: string) => Promise<void>

/**
 * If the topic of invalid events rejects everything (a missing permission), the offset of the record must not be
 * committed: nothing else would list the event.
 */
const untilStored = { retryRejectedTopic: true }

/** Publishes an invalid record unchanged to the topic of invalid events. */
export function createRejectInvalidRecord(parts: {
  publish: Publish
  invalidTopic: string
  metrics: DispatcherMetrics
  log: Logger
}): RejectInvalidRecord {
  const { publish, invalidTopic, metrics, log } = parts
  return async (record, reason) => {
    const { topic, partition, offset, appendedAt, key, value } = record
    const origin = {
      [invalidRecordHeaders.reason]: reason,
      [invalidRecordHeaders.topic]: topic,
      [invalidRecordHeaders.partition]: String(partition),
      [invalidRecordHeaders.offset]: offset,
      [invalidRecordHeaders.time]: String(appendedAt),
    }
    const headers = { ...record.headers, ...origin }
    // With the time of its first rejection, so that the retention of its personal data does not begin anew.
    const timestamp = firstRejectedAt(record.headers)
    const rejected = { topic: invalidTopic, key, value, headers, ...(timestamp && { timestamp }) }
    const published = await publish(rejected, untilStored)
    if (published.kind === "rejected") {
      // The broker will never accept this record, for example because it is too large. Retrying would block
      // the consumed partition, so only the record's origin is published.
      const reasons = `${reason}; not stored here (${published.why}): ${value?.byteLength ?? 0} bytes`
      const headers = { ...origin, [invalidRecordHeaders.reason]: reasons }
      await publish({ topic: invalidTopic, key: null, value: null, headers }, untilStored)
    }
    metrics.events.inc({ outcome: "invalid" })
    log.warn({ topic, partition, offset, reason }, "a record of site.paid is invalid; it is rejected")
  }
}
