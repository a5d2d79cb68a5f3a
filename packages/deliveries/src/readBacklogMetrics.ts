import { readDaysAhead, readUnvacuumedRows, type Sql } from "@sitewire/database"
import { firstOfChannels } from "./waiting.ts"

export type BacklogMetrics = {
  /** At most `maxCounted` in all. */
  byReason: { reason: string; count: number }[]
  oldestDeferredSeconds: number
  oldestOverdueSeconds: number
  /** Of waiting_delivery. */
  unvacuumedRows: number
  daysAhead: number
}

/** Millions would take seconds to count, at each scrape of each dispatcher. */
const maxCounted = 100_000

const counts = `
select reason, count(*)::int as count
  from (select deferred_reason::text as reason from waiting_delivery where deferred_at is not null limit $1) as deferred
 group by reason`

// The first entry of a channel is its oldest. What an operator has paused may wait.
const oldest = `
with recursive ${firstOfChannels("channel_id, deferred_at", "deferred_at is not null")}
select greatest(0, extract(epoch from now() - min(deferred_at)))::float8 as seconds
  from first left join channel on id = channel_id where paused_at is null`

const overdue = `
select greatest(0, extract(epoch from now() - min(next_attempt_at)))::float8 as seconds
  from waiting_delivery where next_attempt_at is not null`

export async function readBacklogMetrics(sql: Sql, most = maxCounted): Promise<BacklogMetrics> {
  const byReason = await sql<{ reason: string; count: number }>(counts, [most])
  const [deferred] = await sql<{ seconds: number }>(oldest)
  const [scheduled] = await sql<{ seconds: number | null }>(overdue)
  return {
    byReason,
    oldestDeferredSeconds: deferred?.seconds ?? 0,
    oldestOverdueSeconds: scheduled?.seconds ?? 0,
    unvacuumedRows: await readUnvacuumedRows(sql, "waiting_delivery"),
    daysAhead: await readDaysAhead(sql),
  }
}
