import { createHash } from "node:crypto"
import { invalidRecordHeaders, type ReplayFilter } from "@sitewire/contracts"
import type { SealingKeys, Sql } from "@sitewire/database"
import { type Erasures, readErasures } from "@sitewire/deliveries"
import type { ConsumerRecord } from "@sitewire/kafka"
import { type InvalidTopic, readInBatches } from "../../kafka/topicReader.ts"

/**
 * Counts the events that a replay would publish: equal records once. `left_out` counts those that match the filter but are
 * covered by an erasure. `complete` is false if `deadlineMs` ended the count.
 */
export async function countReplay(
  { sql, sealingKeys, invalidTopic }: { sql: Sql; sealingKeys: SealingKeys; invalidTopic: InvalidTopic },
  filter: ReplayFilter,
  deadlineMs: number,
): Promise<{ matching: number; left_out: number; complete: boolean }> {
  const endsAt = performance.now() + deadlineMs
  const erasures = await readAllErasures({ sql, sealingKeys })
  const events = new Set<string>()
  let left_out = 0
  for await (const { records, ended } of readInBatches(invalidTopic, {}, await invalidTopic.end())) {
    for (const record of records) {
      if (!matches(record, filter)) continue
      if (isErased(record, erasures)) left_out++
      else events.add(digestOf(record).toString("base64"))
    }
    if (!ended && performance.now() >= endsAt) return { matching: events.size, left_out, complete: false }
  }
  return { matching: events.size, left_out, complete: true }
}

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

/** Equal for records of the same event: a publisher's repetition, and what earlier replays have added. */
function digestOf({ original, value }: Pick<ConsumerRecord, "original" | "value">): Buffer {
  return createHash("sha256")
    .update(JSON.stringify(original.key))
    .update(value ?? "")
    .digest()
}

/** Returns the first record of each event that the job has not published, and notes that it does so now. */
export async function withoutReplayed(
  sql: Sql,
  job: string,
  records: readonly ConsumerRecord[],
): Promise<ConsumerRecord[]> {
  const events = new Map(records.toReversed().map((record) => [digestOf(record).toString("hex"), record]))
  const known = await sql<{ digest: string }>(
    `with given as (select decode(unnest($2::text[]), 'hex') as digest),
          added as (insert into replayed_event select $1, digest from given on conflict do nothing)
     select encode(digest, 'hex') as digest from replayed_event join given using (digest) where job_id = $1`,
    [job, [...events.keys()]],
  )
  for (const { digest } of known) events.delete(digest)
  return [...events.values()].toReversed()
}

/** For a job that has ended. */
export async function forgetReplayed(sql: Sql, job: string): Promise<void> {
  await sql("delete from replayed_event where job_id = $1", [job])
}
