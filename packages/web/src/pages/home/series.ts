import type { Schemas } from "../../api/client.ts"

type Point = Schemas["StatisticPoint"]

/** `points` of the API, each `seconds` long, are shown as `points / merged` of the chart. */
export const ranges = {
  "1h": { interval: "minute", seconds: 60, points: 60, merged: 1 },
  "6h": { interval: "minute", seconds: 60, points: 360, merged: 2 },
  "24h": { interval: "minute", seconds: 60, points: 1_440, merged: 10 },
  "7d": { interval: "hour", seconds: 3_600, points: 168, merged: 1 },
  "90d": { interval: "day", seconds: 86_400, points: 90, merged: 1 },
} as const

export type Range = keyof typeof ranges

/** The range that the URL names, otherwise a day. */
export function rangeOf(given: string | undefined): Range {
  return given !== undefined && given in ranges ? (given as Range) : "24h"
}

/** The statistics of a range. Its begin changes only once a minute, so that parts of a page share the answer. */
export function filterOf(range: Range, channel?: string) {
  const { interval, seconds, points, merged } = ranges[range]
  const length = seconds * merged * 1_000
  const from = Math.floor(Date.now() / length) * length - points * seconds * 1_000
  return { interval, created_after: new Date(from).toISOString(), ...(channel ? { channel } : {}) }
}

const failuresOf = ({ attempts: { delivered: _, ...failed } }: Point) =>
  Object.values(failed).reduce((sum, count) => sum + count, 0)

/** Points at equal distances. A value is null where nothing was counted. */
export function seriesOf({ data, counted_before }: Schemas["Statistics"], range: Range) {
  const { seconds, points, merged } = ranges[range]
  const length = seconds * merged
  const groups = Map.groupBy(
    data,
    (point) => Math.floor(Date.parse(point.started_at) / 1_000 / length) * length,
  )
  const end = Math.floor(Date.parse(counted_before) / 1_000 / length) * length
  // The time after it is not counted completely.
  const last = end - length
  const count = points / merged
  const times = Array.from({ length: count }, (_, index) => last - (count - 1 - index) * length)
  const each = (read: (group: readonly Point[]) => number | null) =>
    times.map((time) => {
      const group = groups.get(time)
      return group ? read(group) : null
    })
  const sum = (read: (point: Point) => number) =>
    each((group) => group.reduce((all, point) => all + read(point), 0))
  const latency = (read: (values: readonly { p50: number; p99: number }[]) => number | null) =>
    each((group) => read(group.flatMap(({ latency_ms }) => (latency_ms ? [latency_ms] : []))))
  const delivered = sum(({ attempts }) => attempts.delivered)
  const failed = sum(failuresOf)
  return {
    times,
    deliveries: sum(({ deliveries }) => deliveries),
    delivered,
    failed,
    success: delivered.map((count, index) => {
      const all = (count ?? 0) + (failed[index] ?? 0)
      return count === null || all === 0 ? null : count / all
    }),
    // The exact percentiles of merged points are not known: the median of their medians, and the worst.
    p50: latency((values) => medianOf(values.map(({ p50 }) => p50))),
    p99: latency((values) => maxOf(values.map(({ p99 }) => p99))),
    triggers: sum(({ triggers }) => triggers ?? 0),
    syncs: sum(({ syncs }) => Object.values(syncs ?? {}).reduce((all, count) => all + count, 0)),
  }
}

export const sumOf = (values: readonly (number | null)[]) =>
  values.reduce<number>((sum, value) => sum + (value ?? 0), 0)

export function medianOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null).toSorted((a, b) => a - b)
  return known[Math.floor(known.length / 2)] ?? null
}

export const maxOf = (values: readonly (number | null)[]): number | null => {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : Math.max(...known)
}
