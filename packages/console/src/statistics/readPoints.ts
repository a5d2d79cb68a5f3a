import { named, type Sql } from "@sitewire/database"
import type { Prisma } from "@sitewire/database/prisma"
import { minuteMs } from "./countMinute.ts"

export type Counts = Record<string, number>

export type Point = {
  startedAt: number
  deliveries: number
  attempts: Counts
  latency: Counts
  triggers: { accepted: number; covered: number }
  syncs: Counts
}

type Position = Pick<Prisma.StatisticsPositionModel, "counted_through">

export async function readPosition(sql: Sql): Promise<Position> {
  const [row] = await sql<Position>("select counted_through from statistics_position where id = 1")
  if (!row) throw new Error("the table statistics_position has no row: its migration must have inserted it")
  return row
}

type Range = {
  /** How many minutes a point consists of. */
  merge: number
  channel: string
  from: number
  to: number
}

/** The points from `from` to before `to`, which are multiples of a minute, oldest first. `channel` is empty for all channels. */
export async function readPoints(sql: Sql, { merge, channel, from, to }: Range): Promise<Point[]> {
  const rows = await sql<PointRow>(...named(statement, { from: new Date(from), to: new Date(to), channel }))
  const points = new Map<number, Point>()
  for (const row of rows) {
    const startedAt = floorTo(row.started_at.getTime(), minuteMs * merge)
    const point = points.get(startedAt) ?? emptyPoint(startedAt)
    points.set(startedAt, point)
    addTo(point, {
      deliveries: row.deliveries ?? 0,
      attempts: row.attempts ?? {},
      latency: row.latency ?? {},
      triggers: { accepted: row.accepted_triggers ?? 0, covered: row.covered_triggers ?? 0 },
      syncs: row.syncs ?? {},
    })
  }
  return [...points.values()]
}

/** All points as one. */
export function addUp(points: readonly Point[]): Point {
  const total = emptyPoint(0)
  for (const point of points) addTo(total, point)
  return total
}

function addTo(
  total: Point,
  { deliveries, attempts, latency, triggers, syncs }: Omit<Point, "startedAt">,
): void {
  total.deliveries += deliveries
  total.triggers.accepted += triggers.accepted
  total.triggers.covered += triggers.covered
  add(total.attempts, attempts)
  add(total.latency, latency)
  add(total.syncs, syncs)
}

type PointRow = Pick<Prisma.StatisticModel, "started_at" | "accepted_triggers" | "covered_triggers"> & {
  deliveries: number | null
} & Record<"attempts" | "latency" | "syncs", Counts | null>

/** Every counted minute has a row of all channels. A channel's row is missing if it had no events. */
const statement = `
select counted.started_at, row.deliveries, row.attempts, row.latency, row.accepted_triggers, row.covered_triggers,
       row.syncs
  from statistic counted left join statistic row on row.channel_id = $channel and row.started_at = counted.started_at
 where counted.channel_id = '' and counted.started_at >= $from and counted.started_at < $to
 order by counted.started_at`

function emptyPoint(startedAt: number): Point {
  const triggers = { accepted: 0, covered: 0 }
  return { startedAt, deliveries: 0, attempts: {}, latency: {}, triggers, syncs: {} }
}

function add(total: Counts, counts: Counts): void {
  for (const [key, count] of Object.entries(counts)) total[key] = (total[key] ?? 0) + count
}

export function floorTo(ms: number, length: number): number {
  return Math.floor(ms / length) * length
}

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
