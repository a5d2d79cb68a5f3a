import { readUnvacuumedRows, type Sql } from "@sitewire/database"

export type DueSyncs = {
  count: number
  /** Of those whose source host could be called now, so that only schedulers delay them. 0 if there is none. */
  oldestSeconds: number
  /** Of sync_window. */
  unvacuumedRows: number
}

/** Of hosts for which syncs wait, so many are read. */
const mostHosts = 10_000
/** In the hosts' queues, and as many that are in none. */
const mostCounted = 100_000

/**
 * `fullHosts`: source hosts of which this process may start no more syncs. Slow connections that wait for their host are left out of the
 * oldest, because they wait for each other. Each count has its own partial index.
 */
export async function readDueSyncs(sql: Sql, fullHosts: readonly string[]): Promise<DueSyncs> {
  const [row] = await sql<{ due: number; oldest_seconds: number | null }>(
    `with recursive queue_head as (
       (select 1 as number, waiting_for_host as host, due_at from sync_window
        where waiting_for_host is not null and not slow order by slow, waiting_for_host, due_at limit 1)
       union all
       select queue_head.number + 1, next.* from queue_head cross join lateral (
         select waiting_for_host, due_at from sync_window
         where waiting_for_host is not null and not slow and waiting_for_host > queue_head.host
         order by slow, waiting_for_host, due_at limit 1
       ) next
       where queue_head.number < ${mostHosts}
     )
     select sum(count)::int as due, extract(epoch from clock_timestamp() - min(oldest))::float8 as oldest_seconds from (
       select count(*), min(due_at) as oldest from (
         select due_at from sync_window where waiting_for_host is null and due_at <= clock_timestamp() and not running
         order by due_at limit ${mostCounted}) as due
       union all
       select count(*), (select min(due_at) from queue_head where due_at <= clock_timestamp() and host <> all($1::text[]))
         from (select from sync_window where waiting_for_host is not null and due_at <= clock_timestamp() and not running
                limit ${mostCounted}) as queued
     ) as counts`,
    [fullHosts],
  )
  return {
    count: row?.due ?? 0,
    oldestSeconds: Math.max(0, row?.oldest_seconds ?? 0),
    unvacuumedRows: await readUnvacuumedRows(sql, "sync_window"),
  }
}

/**
 * When the next sync of a connection may start. While a sync is running, `due_at` is the end of its lease, and the
 * window of the running sync ends before or at that time.
 */
export const earliestStartColumn = `greatest(clock_timestamp(),
  case when w.running then w.window_ends_at else greatest(w.due_at, w.window_ends_at) end)`

export async function earliestStart(sql: Sql, connection: string): Promise<Date> {
  const [row] = await sql<{ at: Date }>(
    `select ${earliestStartColumn} as at from sync_window w where w.connection_id = $1`,
    [connection],
  )
  if (!row) throw new Error("a connection has no window")
  return row.at
}
