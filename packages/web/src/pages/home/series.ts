import type { Schemas } from "../../api/client.ts"

type Point = Schemas["StatisticPoint"]

export const ranges = {
  "1h": { interval: "minute", seconds: 60, points: 60 },
  "6h": { interval: "minute", seconds: 60, points: 360 },
  "24h": { interval: "minute", seconds: 60, points: 1_440 },
  "7d": { interval: "hour", seconds: 3_600, points: 168 },
  "90d": { interval: "day", seconds: 86_400, points: 90 },
} as const

export type Range = keyof typeof ranges

/** The statistics of a range. Its begin changes only once a minute, so that pages share the answer. */
export function filterOf(range: Range, channel?: string) {
  const { interval, seconds, points } = ranges[range]
  const now = Math.floor(Date.now() / 60_000) * 60_000
  const from = Math.floor(now / (seconds * 1_000)) * seconds * 1_000 - (points - 1) * seconds * 1_000
  return { interval, created_after: new Date(from).toISOString(), ...(channel ? { channel } : {}) }
}

const failuresOf = ({ attempts: { delivered: _, ...failed } }: Point) =>
  Object.values(failed).reduce((sum, count) => sum + count, 0)

/** The points of a range at equal distances. A point is null where nothing was counted. */
export function seriesOf({ data, counted_before }: Schemas["Statistics"], range: Range) {
  const { seconds, points } = ranges[range]
  const byTime = new Map(data.map((point) => [Date.parse(point.started_at) / 1_000, point]))
  const end = Math.floor(Date.parse(counted_before) / 1_000 / seconds) * seconds
  const last = byTime.has(end) ? end : end - seconds
  const times = Array.from({ length: points }, (_, index) => last - (points - 1 - index) * seconds)
  const each = <Value>(read: (point: Point) => Value) =>
    times.map((time) => {
      const point = byTime.get(time)
      return point ? read(point) : null
    })
  return {
    times,
    deliveries: each(({ deliveries }) => deliveries),
    delivered: each(({ attempts }) => attempts.delivered),
    failed: each(failuresOf),
    success: each((point) => {
      const all = point.attempts.delivered + failuresOf(point)
      return all === 0 ? null : point.attempts.delivered / all
    }),
    p50: each(({ latency_ms }) => latency_ms?.p50 ?? null),
    p99: each(({ latency_ms }) => latency_ms?.p99 ?? null),
    triggers: each(({ triggers }) => triggers),
    syncs: each(({ syncs }) => (syncs ? Object.values(syncs).reduce((sum, count) => sum + count, 0) : null)),
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
