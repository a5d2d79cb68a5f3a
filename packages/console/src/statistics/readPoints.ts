import type { StatisticInterval } from "@sitewire/contracts"
import { named, type Sql, unnestColumns } from "@sitewire/database"
import type { Prisma } from "@sitewire/database/prisma"
import { minuteMs } from "./countMinute.ts"
import { dayMs, hourMs } from "./rollUp.ts"

export const lengthMs: Record<StatisticInterval, number> = { minute: minuteMs, hour: hourMs, day: dayMs }

export type Counts = Record<string, number>

export type Point = {
  startedAt: number
  deliveries: number
  attempts: Counts
  latency: Counts
  triggers: { accepted: number; covered: number }
  syncs: Counts
}

export type Position = Pick<Prisma.StatisticsPositionModel, "counted_through" | "settled_through">

export async function readPosition(sql: Sql): Promise<Position> {
  const [row] = await sql<Position>(
    "select counted_through, settled_through from statistics_position where id = 1",
  )
  if (!row) throw new Error("the table statistics_position has no row: its migration must have inserted it")
  return row
}

type Range = {
  interval: StatisticInterval
  /** How many intervals a point consists of. */
  merge: number
  channel: string
  from: number
  to: number
}

/**
 * The points from `from` to before `to`, oldest first. Both must be multiples of the interval. Hours and days are
 * stored when they are over and settled, so the newest ones are added up here. `channel` is empty for all channels.
 */
export async function readPoints(
  sql: Sql,
  { interval, merge, channel, from, to }: Range,
  { settled_through }: Position,
): Promise<Point[]> {
  const parts = partsOf(interval, from, to, settled_through.getTime())
  const rows = await sql<PointRow>(
    ...named(statement, {
      interval: parts.map((part) => part.interval),
      begins_at: parts.map((part) => new Date(part.from)),
      ends_at: parts.map((part) => new Date(part.to)),
      channel,
    }),
  )
  const points = new Map<number, Point>()
  for (const row of rows) {
    const startedAt = floorTo(row.started_at.getTime(), lengthMs[interval] * merge)
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

/** The stored intervals that the points consist of: the longest ones first. */
function partsOf(interval: StatisticInterval, from: number, to: number, settled: number) {
  const ends = { day: floorTo(settled, dayMs), hour: floorTo(settled, hourMs), minute: to }
  const used = (["day", "hour", "minute"] as const).filter((one) => lengthMs[one] <= lengthMs[interval])
  let begin = from
  return used.map((one) => {
    const end = Math.max(begin, Math.min(to, ends[one]))
    const part = { interval: one, from: begin, to: end }
    begin = end
    return part
  })
}

type PointRow = Pick<Prisma.StatisticModel, "started_at" | "accepted_triggers" | "covered_triggers"> & {
  deliveries: number | null
} & Record<"attempts" | "latency" | "syncs", Counts | null>

/** Every counted interval has a row of all channels. A channel's row is missing if it had no events. */
const statement = `
select counted.started_at, row.deliveries, row.attempts, row.latency, row.accepted_triggers, row.covered_triggers,
       row.syncs
  from ${unnestColumns({ interval: "statistic_interval", begins_at: "timestamptz", ends_at: "timestamptz" }, "part")}
  join statistic counted on counted.interval = part.interval and counted.channel_id = ''
       and counted.started_at >= part.begins_at and counted.started_at < part.ends_at
  left join statistic row on row.interval = counted.interval and row.channel_id = $channel
       and row.started_at = counted.started_at
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
