import { statisticsKeptMs } from "@sitewire/contracts"
import { readClock, type Sql } from "@sitewire/database"
import { deletePreviousContents, readableForMs } from "@sitewire/syncs"

const batch = 1_000
const dayMs = 24 * 60 * 60 * 1_000
/** With many channels that fail and recover all the time, these are the incidents of some days. */
const mostResolvedIncidents = 100_000

/** Tables whose rows are deleted by age, and their keys. */
const tables = [
  { table: "idempotency_record", key: "key_id, idempotency_key", keptFor: "day" },
  // A repeated Idempotency-Key reads the row of its test or change again. Changes of an address in a day are limited.
  { table: "receiver_check", key: "id", keptFor: "day" },
  // A finished erasure is its proof.
  { table: "job", key: "id", keptFor: "audit", only: "kind <> 'erasure'", time: "finished_at" },
  { table: "incident", key: "id", keptFor: "audit", only: "resolved_at is not null" },
  // Both are invalid after less than a day.
  { table: "session", key: "id", keptFor: "day" },
  { table: "sign_in_link", key: "id", keptFor: "day" },
  { table: "receiver_certificate", key: "origin", keptFor: "audit", time: "seen_at" },
  { table: "mail_recipient", key: "id", keptFor: "day", time: "next_at" },
  { table: "statistic", key: "channel_id, started_at", keptFor: "statistics", time: "started_at" },
] as const

/**
 * Deletes what is older than the retention of the audit log: audit entries, jobs that are no erasures,
 * resolved incidents, and certificates that were not seen since. Also responses and test deliveries whose
 * Idempotency-Key is no longer valid, old sessions and sign-in links, who was written to a day ago, statistics, and replaced
 * contents that have expired.
 */
export async function deleteOldRecords(
  sql: Sql,
  auditRetentionMs: number,
  signal?: AbortSignal,
): Promise<number> {
  const ages = { audit: auditRetentionMs, day: dayMs, statistics: statisticsKeptMs }
  let deleted = 0
  async function repeat(deleteBatch: () => Promise<number>): Promise<void> {
    for (let count = batch; count === batch && !signal?.aborted; deleted += count) count = await deleteBatch()
  }
  for (const { table, key, keptFor, ...rest } of tables) {
    const condition = "only" in rest ? `and ${rest.only}` : ""
    const time = "time" in rest ? rest.time : "created_at"
    const statement = `delete from ${table} where (${key}) in (
      select ${key} from ${table} where ${time} < now() - $1 * interval '1 millisecond' ${condition}
       order by ${time} limit ${batch}
    ) returning 1 as one`
    await repeat(async () => (await sql(statement, [ages[keptFor]])).length)
  }
  const surplus = `delete from incident where id in (
    select id from incident where resolved_at is not null
     order by created_at desc, id desc offset ${mostResolvedIncidents} limit ${batch}
  ) returning 1 as one`
  await repeat(async () => (await sql(surplus)).length)
  await repeat(async () => {
    const entries = "select delete_audit_entries(now() - $1 * interval '1 millisecond', $2) as count"
    const [row] = await sql<{ count: number }>(entries, [auditRetentionMs, batch])
    return row?.count ?? 0
  })
  const before = new Date((await readClock(sql)).getTime() - readableForMs)
  await repeat(() => deletePreviousContents(sql, { before, limit: batch }))
  return deleted
}

/** Lets keys that are valid for longer than the policy allows expire when it says, whoever has created them. */
export async function limitKeys(sql: Sql, maxAgeMs: number): Promise<void> {
  await sql(
    `update api_key set expires_at = created_at + $1 * interval '1 millisecond'
      where revoked_at is null and (expires_at is null or expires_at > created_at + $1 * interval '1 millisecond')`,
    [maxAgeMs],
  )
}
