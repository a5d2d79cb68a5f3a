import type { Sql } from "@sitewire/database"

/** Two counts, because each has its own partial index. */
export async function countDueSyncs(sql: Sql): Promise<number> {
  const [row] = await sql<{ due: number }>(
    `select sum(count)::int as due from (
       select count(*) from sync_window where waiting_for_host is null and due_at <= clock_timestamp() and not running
       union all
       select count(*) from sync_window where waiting_for_host is not null and due_at <= clock_timestamp() and not running
     ) as counts`,
  )
  return row?.due ?? 0
}
