import type { StatisticPoint, Statistics } from "@sitewire/contracts"

type Point = StatisticPoint

/** How many points of how many minutes a range has. */
export const ranges = {
  "1h": { merge: 1, points: 60 },
  "24h": { merge: 10, points: 144 },
} as const

export type Range = keyof typeof ranges

/** The range that the URL names, otherwise a day. */
export function rangeOf(given: string | undefined): Range {
  return given !== undefined && given in ranges ? (given as Range) : "24h"
}

/** How long a point is, in seconds. */
export const lengthOf = (range: Range) => ranges[range].merge * 60

/** The statistics of a range. Its begin changes only with its newest point, so that the page finds what `loadOverview` requested. */
export function filterOf(range: Range) {
  const { merge, points } = ranges[range]
  const length = lengthOf(range) * 1_000
  const from = Math.floor(Date.now() / length) * length - points * length
  return { merge, created_after: new Date(from).toISOString() }
}

export const failuresOf = ({ attempts: { delivered: _, ...failed } }: Pick<Point, "attempts">) =>
  Object.values(failed).reduce((sum, count) => sum + count, 0)

export const syncsOf = ({ syncs }: Pick<Point, "syncs">) =>
  Object.values(syncs ?? {}).reduce((sum, count) => sum + count, 0)

/** The share of attempts that succeeded. Null: there was none. */
export function successOf(point: Pick<Point, "attempts">): number | null {
  const { delivered } = point.attempts
  const all = delivered + failuresOf(point)
  return all === 0 ? null : delivered / all
}

/**
 * Points at equal distances, from the begin of the range to the newest counted minute. A value is null where nothing was
 * counted. `incomplete`: a part of the newest point is not counted yet.
 */
export function seriesOf({ data, counted_before }: Statistics, range: Range, from: string) {
  const length = lengthOf(range)
  const counted = Date.parse(counted_before) / 1_000
  const times: number[] = []
  for (let time = Date.parse(from) / 1_000; time < counted; time += length) times.push(time)
  const points = new Map(data.map((point) => [Date.parse(point.started_at) / 1_000, point]))
  const each = (read: (point: Point) => number | null) =>
    times.map((time) => {
      const point = points.get(time)
      return point ? read(point) : null
    })
  return {
    times,
    incomplete: (times.at(-1) ?? 0) + length > counted,
    deliveries: each(({ deliveries }) => deliveries),
    failed: each(failuresOf),
    success: each(successOf),
    p50: each(({ latency_ms }) => latency_ms?.p50 ?? null),
    p99: each(({ latency_ms }) => latency_ms?.p99 ?? null),
    accepted: each(({ triggers }) => triggers?.accepted ?? null),
    covered: each(({ triggers }) => triggers?.covered ?? null),
    syncs: each(syncsOf),
  }
}
