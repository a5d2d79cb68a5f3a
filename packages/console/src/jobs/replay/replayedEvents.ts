import { createHash } from "node:crypto"
import type { Sql } from "@sitewire/database"
import type { ConsumerRecord } from "@sitewire/kafka"

/** Equal for records of the same event: a publisher's repetition, and what earlier replays have added. */
export function digestOf({ original, value }: Pick<ConsumerRecord, "original" | "value">): Buffer {
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
