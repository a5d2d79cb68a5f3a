import { wasLocked } from "./isUnavailable.ts"
import type { Pool, Sql } from "./pool.ts"
import { oneAtATime } from "./transactions.ts"

/** How far ahead days are made, so that rows are stored in them even if this fails for a week. */
const daysAhead = 7

/** Days with tables for deliveries, attempts and syncs. */
const existingDays =
  "select days_before('delivery', 'infinity') as day intersect select days_before('sync_run', 'infinity')"

/** Those that are missing: also past ones after the newest, which a backup that was restored did not have. */
const missingDays = `
with existing as materialized (${existingDays})
select wanted::date::text as day
  from (select (now() at time zone 'UTC')::date as today, max(day) + 1 as next from existing) as bounds
 cross join generate_series(greatest(today - 30, least(today, next)), today + $1::int, interval '1 day') as wanted
 where wanted::date not in (select day from existing)`

/**
 * Makes the days of the next deliveries and syncs. Rows of a day that does not exist are stored, but not dropped with it. A day that
 * cannot be made stops no other. Rejects with the first error.
 */
export async function makeDays(sql: Sql, ahead = daysAhead): Promise<void> {
  const errors: unknown[] = []
  for (const { day } of await sql<{ day: string }>(missingDays, [ahead]))
    await sql("select make_days($1::date, $1::date)", [day]).catch((error: unknown) => errors.push(error))
  if (errors.length > 0) throw errors[0]
}

/** How many of the next days exist, up to the first that does not: 7 at most, unless more were made. */
export async function readDaysAhead(sql: Sql): Promise<number> {
  const [row] = await sql<{ days: number }>(`
    select (min(ahead) - 1)::int as days
      from generate_series(1, 61) as ahead
     where (now() at time zone 'UTC')::date + ahead not in (${existingDays})`)
  return row?.days ?? 0
}

/** Drops a day under the advisory lock of those that delete such rows. Null: it is being read, or another process has the lock. */
export async function dropDay<T>(
  pool: Pool,
  lockKey: number,
  drop: (sql: Sql) => Promise<T>,
): Promise<T | null> {
  try {
    return await oneAtATime(pool, lockKey, drop)
  } catch (error) {
    if (wasLocked(error)) return null
    throw error
  }
}
