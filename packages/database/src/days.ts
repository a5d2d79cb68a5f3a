import { wasLocked } from "./errorCodeOf.ts"
import { oneAtATime } from "./oneAtATime.ts"
import type { Pool, Sql } from "./pool.ts"

/** How far ahead days are made, so that rows are stored in them even if this fails for a week. */
const daysAhead = 7

/** Makes the days of the next deliveries and syncs. Rows of a day that does not exist are stored, but are not dropped with a day. */
export async function makeDays(sql: Sql, ahead = daysAhead): Promise<void> {
  const today = "(now() at time zone 'UTC')::date"
  await sql(`select make_days(${today}, ${today} + $1::int)`, [ahead])
}

type Drop = {
  pool: Pool
  drop: "drop_delivery_day" | "drop_sync_day"
  /** Of the advisory lock of those that delete such rows. */
  lockKey: number
  before: Date
  onDropped: () => void
}

/**
 * Drops the days that ended before `before`, one after the other. False: a day is being read, by a long query or a backup, or
 * another process has the lock. The next call drops it.
 */
export async function dropDays({ pool, drop, lockKey, before, onDropped }: Drop): Promise<boolean> {
  try {
    for (;;) {
      const dropped = await oneAtATime(pool, lockKey, async (sql) => {
        const [row] = await sql<{ day: Date | null }>(`select ${drop}($1) as day`, [before])
        return row?.day ?? "none"
      })
      if (dropped === null) return false
      if (dropped === "none") return true
      onDropped()
    }
  } catch (error) {
    if (wasLocked(error)) return false
    throw error
  }
}
