import { statisticsKeptMs } from "@sitewire/contracts"
import { beginWithLimit, onOwnConnection, type Pool, type Sql } from "@sitewire/database"
import type { Prisma } from "@sitewire/database/prisma"
import { countMinute, minuteMs } from "./countMinute.ts"

/** How long after its end a minute is counted: an attempt that began in it ends later, and is recorded then. */
const usualMarginMs = minuteMs

export type Counted = "counted" | "idle" | "busy"

/**
 * Counts the next minute. The result and the position are committed together, so each minute is counted once, whatever
 * crashes. "busy": another console is counting.
 */
export function countNextMinute(pool: Pool, marginMs = usualMarginMs): Promise<Counted> {
  return onOwnConnection(pool, async (sql) => {
    await sql(beginWithLimit)
    const [position] = await sql<Position>(lockPosition, [marginMs, statisticsKeptMs])
    const result = position ? await countNext(sql, position) : "busy"
    await sql("commit")
    return result
  })
}

/** The driver returns a `bigint` as a text. */
type Position = Pick<Prisma.StatisticsPositionModel, "counted_through"> & {
  recorded_triggers: string
  countable: boolean
}

// After a longer outage, minutes that are older than the retention are skipped.
const lockPosition = `
select greatest(counted_through, date_trunc('minute', now() - $2 * interval '1 millisecond')) as counted_through,
       recorded_triggers, counted_through + interval '1 minute' <= now() - $1 * interval '1 millisecond' as countable
  from statistics_position for update skip locked`

async function countNext(
  sql: Sql,
  { counted_through: next, recorded_triggers, countable }: Position,
): Promise<Counted> {
  if (!countable) return "idle"
  const recorded = await sumRecorded(sql)
  await countMinute(sql, next, Math.max(0, recorded - Number(recorded_triggers)))
  await sql("update statistics_position set counted_through = $1, recorded_triggers = $2", [
    new Date(next.getTime() + minuteMs),
    recorded,
  ])
  return "counted"
}

/**
 * How many triggers were ever recorded, of all connections that exist. Reads all windows, once a minute: that costs
 * less than to write for each batch of triggers. Committed with the position, so that none is counted twice.
 */
async function sumRecorded(sql: Sql): Promise<number> {
  const [row] = await sql<{ sum: string }>("select coalesce(sum(requested), 0) as sum from sync_window")
  return Number(row?.sum ?? 0)
}
