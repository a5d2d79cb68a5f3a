import type { Sql } from "@sitewire/database"
import { minuteMs } from "./countMinute.ts"
import type { Counts, Position } from "./readPoints.ts"

/** Deferred deliveries by reason when the newest minute was counted. Null if no minute was counted yet. */
export async function readDeferred(
  sql: Sql,
  channel: string,
  { counted_through }: Position,
): Promise<{ countedAt: Date; byReason: Counts } | null> {
  const newest = new Date(counted_through.getTime() - minuteMs)
  const rows = await sql<{ channel_id: string; counted_at: Date; deferred: Counts | null }>(
    `select channel_id, counted_at, deferred from statistic
      where channel_id in ('', $1) and started_at = $2`,
    [channel, newest],
  )
  const all = rows.find((row) => row.channel_id === "")
  if (!all) return null
  const own = rows.find((row) => row.channel_id === channel)
  return { countedAt: all.counted_at, byReason: own?.deferred ?? {} }
}
