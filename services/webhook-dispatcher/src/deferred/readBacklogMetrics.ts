import type { Sql } from "@sitewire/database"

export type BacklogMetrics = {
  byReason: { reason: string; count: number; oldestSeconds: number }[]
  oldestOverdueSeconds: number
}

const deferred = `
select deferred_reason::text as reason, count(*)::int as count,
       extract(epoch from now() - min(deferred_at))::float8 as oldest_seconds
  from delivery where deferred_at is not null group by deferred_reason`

const overdue = `
select greatest(0, extract(epoch from now() - min(next_attempt_at)))::float8 as seconds
  from delivery where next_attempt_at is not null`

/** Scans partial indexes only, so the cost grows with the number of deferred deliveries. */
export async function readBacklogMetrics(sql: Sql): Promise<BacklogMetrics> {
  const rows = await sql<{ reason: string; count: number; oldest_seconds: number }>(deferred)
  const [row] = await sql<{ seconds: number | null }>(overdue)
  return {
    byReason: rows.map(({ reason, count, oldest_seconds: oldestSeconds }) => ({
      reason,
      count,
      oldestSeconds,
    })),
    oldestOverdueSeconds: row?.seconds ?? 0,
  }
}
