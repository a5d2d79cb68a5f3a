import { invalidRecordHeaders, type ReplayFilter } from "@sitewire/contracts"
import type { SealingKeys, Sql } from "@sitewire/database"
import { type Erasures, readErasures } from "@sitewire/deliveries"
import type { ConsumerRecord } from "@sitewire/kafka"

export function matches(record: ConsumerRecord, filter: ReplayFilter): boolean {
  const { reason, rejected_after, rejected_before } = filter
  // The record has no value if it was too large for site.paid.invalid, so there is nothing to replay.
  if (record.value === null) return false
  if (reason !== undefined && !record.headers[invalidRecordHeaders.reason]?.startsWith(reason)) return false
  if (rejected_after !== undefined && record.appendedAt < Date.parse(rejected_after)) return false
  return rejected_before === undefined || record.appendedAt < Date.parse(rejected_before)
}

/**
 * Reads erasures of any age, because records can be of any age, too: an operator can extend the retention of
 * site.paid.invalid.
 */
export function readAllErasures(from: { sql: Sql; sealingKeys: SealingKeys }): Promise<Erasures> {
  return readErasures(from, new Date(0))
}

/**
 * True if the record must not be replayed: it is about the subject of an erasure, and was published before the
 * erasure or shortly after it, whenever it was rejected. A value that is not JSON may be about any subject.
 */
export function isErased({ value, appendedAt, headers }: ConsumerRecord, erasures: Erasures): boolean {
  const publishedAt = Number(headers[invalidRecordHeaders.time])
  return value !== null && erasures.covers(value, publishedAt < appendedAt ? publishedAt : appendedAt)
}
