import { beginWithLimit, onOwnConnection, type Pool, type Sql } from "@sitewire/database"
import type { Prisma } from "@sitewire/database/prisma"
import { countMinute, isUnchanged, minuteMs } from "./countMinute.ts"
import { mergeStatistics } from "./mergeStatistics.ts"

export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** Retention of the statistics per minute. After a longer outage, older minutes are skipped, not aggregated. */
export const minuteRetentionMs = 7 * dayMs

/**
 * A minute is counted `marginMs` after its end, because attempts are recorded shortly after they ended. It is counted again
 * `settleAfterMs` after it was counted, for attempts that were recorded late.
 */
export type CountingDelays = { marginMs: number; settleAfterMs: number }
const usualDelays: CountingDelays = { marginMs: 30_000, settleAfterMs: 10 * minuteMs }

export type RollUp = "counted" | "settled" | "idle" | "busy"

/**
 * Counts the next minute, or counts one again. The result and the position are committed together, so each minute is
 * counted completely, whatever crashes. "busy": another console is counting.
 */
export function rollUp(
  pool: Pool,
  { marginMs, settleAfterMs }: CountingDelays = usualDelays,
): Promise<RollUp> {
  return onOwnConnection(pool, async (sql) => {
    await sql(beginWithLimit)
    const [position] = await sql<Position>(lockPosition, [marginMs, minuteRetentionMs])
    const result = position ? await countNext(sql, position, settleAfterMs) : "busy"
    await sql("commit")
    return result
  })
}

/** The driver returns a `bigint` as a text. */
type Position = Pick<Prisma.StatisticsPositionModel, "counted_through" | "settled_through"> & {
  recorded_triggers: string
  countable: boolean
}

const lockPosition = `
select greatest(counted_through, oldest) as counted_through, greatest(settled_through, oldest) as settled_through,
       recorded_triggers, counted_through + interval '1 minute' <= now() - $1 * interval '1 millisecond' as countable
  from statistics_position,
       date_trunc('minute', now() - $2 * interval '1 millisecond') as oldest
   for update of statistics_position skip locked`

async function countNext(sql: Sql, position: Position, settleAfterMs: number): Promise<RollUp> {
  const { counted_through: next, settled_through: unsettled, countable } = position
  if (countable) {
    const recorded = await sumRecorded(sql)
    await countMinute(sql, next, Math.max(0, recorded - Number(position.recorded_triggers)))
    await sql("update statistics_position set counted_through = $1, recorded_triggers = $2", [
      after(next, minuteMs),
      recorded,
    ])
    return "counted"
  }
  if (!(await isSettled(sql, unsettled, settleAfterMs))) return "idle"
  if (!(await isUnchanged(sql, unsettled))) await countMinute(sql, unsettled, null)
  await mergeEnded(sql, unsettled)
  await sql("update statistics_position set settled_through = $1", [after(unsettled, minuteMs)])
  return "settled"
}

/**
 * How many triggers were ever recorded, of all connections that exist. Reads all windows, once a minute: that costs
 * less than to write for each batch of triggers. Committed with the position, so that none is counted twice.
 */
async function sumRecorded(sql: Sql): Promise<number> {
  const [row] = await sql<{ sum: string }>("select coalesce(sum(requested), 0) as sum from sync_window")
  return Number(row?.sum ?? 0)
}

async function isSettled(sql: Sql, minute: Date, settleAfterMs: number): Promise<boolean> {
  const [row] = await sql<{ settled: boolean }>(
    `select counted_at <= now() - $2 * interval '1 millisecond' as settled
       from statistic where interval = 'minute' and channel_id = '' and started_at = $1`,
    [minute, settleAfterMs],
  )
  return row?.settled ?? false
}

/** Adds up the hour, and the day, whose last minute this is. */
async function mergeEnded(sql: Sql, minute: Date): Promise<void> {
  const end = after(minute, minuteMs)
  for (const { from, into, lengthMs } of [
    { from: "minute", into: "hour", lengthMs: hourMs },
    { from: "hour", into: "day", lengthMs: dayMs },
  ]) {
    if (end.getTime() % lengthMs !== 0) return
    await mergeStatistics(sql, { from, into, startedAt: after(end, -lengthMs), endsAt: end })
  }
}

function after(time: Date, ms: number): Date {
  return new Date(time.getTime() + ms)
}
