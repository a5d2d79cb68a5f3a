import type { Sql } from "@sitewire/database"

/** Windows that are due and not running: they wait for a permit. One count for each of the two indexes. */
export async function countDue(sql: Sql): Promise<number> {
  const [row] = await sql<{ due: number }>(
    `select sum(count)::int as due from (
       select count(*) from sync_window where waiting_for_host is null and due_at <= clock_timestamp() and not running
       union all
       select count(*) from sync_window where waiting_for_host is not null and due_at <= clock_timestamp() and not running
     ) as counts`,
  )
  return row?.due ?? 0
}
