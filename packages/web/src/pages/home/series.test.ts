import type { StatisticPoint, Statistics } from "@sitewire/contracts"
import { expect, test } from "vitest"
import { seriesOf } from "./series.ts"

const attempts = {
  delivered: 3,
  timeout: 1,
  dns: 0,
  connect: 0,
  tls: 0,
  reset: 0,
  status: 2,
  protocol: 0,
  "blocked-address": 0,
}
const point = (started_at: string): StatisticPoint => ({
  started_at,
  deliveries: 5,
  attempts,
  latency_ms: { p50: 80, p99: 900 },
  triggers: { accepted: 3, covered: 2 },
  syncs: { running: 0, changed: 1, unchanged: 1, failed: 0, abandoned: 0 },
})

const statistics = (counted_before: string, data: StatisticPoint[]): Statistics => {
  const { started_at: _, ...total } = point(counted_before)
  return {
    channel: null,
    counted_before,
    deferred: null,
    dead: null,
    total,
    data,
  }
}

test("points have equal distances, and end with the newest counted minute; gaps are null", () => {
  const series = seriesOf(
    statistics("2026-03-01T12:03:00.000Z", [
      point("2026-03-01T12:00:00.000Z"),
      point("2026-03-01T12:02:00.000Z"),
    ]),
    "1h",
    "2026-03-01T11:03:00.000Z",
  )
  expect(series.times).toHaveLength(60)
  expect(series.incomplete).toBe(false)
  expect(new Date((series.times.at(-1) ?? 0) * 1_000).toISOString()).toBe("2026-03-01T12:02:00.000Z")
  expect(series.deliveries.slice(-3)).toEqual([5, null, 5])
  expect(series.failed.at(-1)).toBe(3)
  expect(series.success.at(-1)).toBe(0.5)
  expect(series.syncs.at(-1)).toBe(2)
})

test("the current ten minutes are the last point, and are marked as incomplete", () => {
  const data = [point("2026-03-01T11:50:00.000Z"), point("2026-03-01T12:00:00.000Z")]
  const series = seriesOf(statistics("2026-03-01T12:03:00.000Z", data), "24h", "2026-02-28T12:10:00.000Z")
  expect(series.deliveries.slice(-2)).toEqual([5, 5])
  expect(series.incomplete).toBe(true)
})
