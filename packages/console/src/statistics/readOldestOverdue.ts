import type { Sql } from "@sitewire/database"

/** Dispatchers begin attempts within seconds of their time, also if a record is lost. */
const oldest = `
select delivery_id as id, channel_id, next_attempt_at from waiting_delivery
 where next_attempt_at < now() - interval '1 minute'
 order by next_attempt_at limit 1`

type Overdue = { delivery: string; channel: string; dueAt: Date }

/** The scheduled attempt that has been overdue for longest, by more than a minute. Null: none is. */
export async function readOldestOverdue(sql: Sql): Promise<Overdue | null> {
  const [row] = await sql<{ id: string; channel_id: string; next_attempt_at: Date }>(oldest)
  return row ? { delivery: row.id, channel: row.channel_id, dueAt: row.next_attempt_at } : null
}
