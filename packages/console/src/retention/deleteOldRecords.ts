import type { Sql } from "@sitewire/database"

const batch = 1_000
const idempotencyMs = 24 * 60 * 60 * 1_000

/** Tables whose rows are deleted by age, and their keys. */
const tables = [
  { table: "audit_entry", key: "id" },
  { table: "idempotency_record", key: "key_id, idempotency_key" },
] as const

/** Deletes audit entries older than their retention, and responses whose Idempotency-Key is no longer valid. */
export async function deleteOldRecords(sql: Sql, auditRetentionMs: number): Promise<number> {
  const ages = { audit_entry: auditRetentionMs, idempotency_record: idempotencyMs }
  let deleted = 0
  for (const { table, key } of tables) {
    const statement = `delete from ${table} where (${key}) in (
      select ${key} from ${table} where created_at < now() - $1 * interval '1 millisecond'
       order by created_at limit ${batch}
    ) returning 1 as one`
    for (let count = batch; count === batch; deleted += count) {
      count = (await sql(statement, [ages[table]])).length
    }
  }
  return deleted
}
