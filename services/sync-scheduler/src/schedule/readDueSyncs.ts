import { readUnvacuumedRows, type Sql } from "@sitewire/database"

export type DueSyncs = {
  count: number
  /** Of those that do not wait for a permit of their source host, which a partner causes. 0 if there is none. */
  oldestSeconds: number
  /** Of sync_window. */
  unvacuumedRows: number
}

/** Two counts, because each has its own partial index. */
export async function readDueSyncs(sql: Sql): Promise<DueSyncs> {
  const [row] = await sql<{ due: number; oldest_seconds: number | null }>(
    `select sum(count)::int as due, sum(oldest_seconds)::float8 as oldest_seconds from (
       select count(*), extract(epoch from clock_timestamp() - min(due_at)) as oldest_seconds
         from sync_window where waiting_for_host is null and due_at <= clock_timestamp() and not running
       union all
       select count(*), 0
         from sync_window where waiting_for_host is not null and due_at <= clock_timestamp() and not running
     ) as counts`,
  )
  return {
    count: row?.due ?? 0,
    oldestSeconds: Math.max(0, row?.oldest_seconds ?? 0),
    unvacuumedRows: await readUnvacuumedRows(sql, "sync_window"),
  }
}
