import { firstRejectedAt, invalidRecordHeaders, readCorrelation } from "@sitewire/contracts"
import type { ConsumerRecord } from "@sitewire/kafka"
import type { Logger } from "@sitewire/runtime"
import type { Publish } from "../createPublish.ts"
import type { DispatcherMetrics } from "../metrics.ts"

export type RejectInvalidRecord = (record: ConsumerRecord, reason: string) => Promise<void>

/** While the topic rejects everything (a missing permission), the record's offset must not be committed. */
const untilStored = { retryRejectedTopic: true }

/** In bytes, of an event's id of 200 characters. */
const longestKey = 800

/** Publishes an invalid record unchanged to the topic of invalid events. */
export function createRejectInvalidRecord(parts: {
  publish: Publish
  invalidTopic: string
  metrics: DispatcherMetrics
  log: Logger
}): RejectInvalidRecord {
  const { publish, invalidTopic, metrics, log } = parts
  return async (record, reason) => {
    const { topic, partition, offset, appendedAt, value, original } = record
    const origin = {
      [invalidRecordHeaders.reason]: reason,
      [invalidRecordHeaders.topic]: topic,
      [invalidRecordHeaders.partition]: String(partition),
      [invalidRecordHeaders.offset]: offset,
      [invalidRecordHeaders.time]: String(appendedAt),
    }
    const headers = { ...original.headers, ...origin }
    // With the time of its first rejection, so that the retention of its personal data does not begin anew.
    const timestamp = firstRejectedAt(record.headers)
    const rejected = {
      topic: invalidTopic,
      key: original.key,
      value,
      headers,
      ...(timestamp && { timestamp }),
    }
    const published = await publish(rejected, untilStored)
    if (published.kind === "rejected") {
      // Perhaps it is too large. Only its origin and what identifies the event are published.
      const key = (original.key?.byteLength ?? 0) > longestKey ? null : original.key
      const correlation = readCorrelation(record)
      const reasons = `${reason}; not stored here (${published.why}): ${value?.byteLength ?? 0} bytes`
      const headers = {
        ...(correlation === null ? {} : { correlation }),
        ...origin,
        [invalidRecordHeaders.reason]: reasons,
      }
      await publish({ topic: invalidTopic, key, value: null, headers }, untilStored)
    }
    metrics.events.inc({ outcome: "invalid" })
    log.warn({ topic, partition, offset, reason }, "a record of site.paid is invalid; it is rejected")
  }
}
