import { createLogger } from "@sitewire/runtime"
import { expect, onTestFinished, test, vi } from "vitest"
import { createTestMetrics } from "../../../test/fixtures/testMetrics.ts"
import { startSweep } from "./startSweep.ts"

const overdueAfterMs = 300_000

test("a sweep starts when retries that were due at the start, or at the end of an outage, have had time to be handled", async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const sweptAt: number[] = []
  const startedAt = Date.now()
  let unavailable = false
  const sweep = startSweep({
    overdueAfterMs,
    async sweepScheduled() {
      sweptAt.push(Date.now() - startedAt)
      if (unavailable) throw new Error("the database is unavailable")
      return { deferred: 0, lastDueMs: 0 }
    },
    readClock: async () => new Date(),
    metrics: createTestMetrics(),
    log: createLogger({ service: "test", level: "silent" }),
  })
  await vi.advanceTimersByTimeAsync(overdueAfterMs - 1)
  expect(sweptAt).toEqual([])
  unavailable = true
  await vi.advanceTimersByTimeAsync(1)
  unavailable = false
  await vi.advanceTimersByTimeAsync(overdueAfterMs + 60_000)
  expect(sweptAt).toEqual([overdueAfterMs, 2 * overdueAfterMs, 2 * overdueAfterMs + 60_000])
  await sweep.close()
})

test("the sweep's time is right while the system clock is behind, and while Postgres's clock is set ahead later", async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const hour = 3_600_000
  const startedAt = performance.now()
  const start = Date.UTC(2026, 0, 1)
  let aheadMs = 0
  const wrongByMs: number[] = []
  const trueTime = () => start + performance.now() - startedAt
  const sweep = startSweep({
    overdueAfterMs,
    async sweepScheduled({ nowMs }) {
      wrongByMs.push(nowMs - trueTime())
      return { deferred: 0, lastDueMs: 0 }
    },
    readClock: async () => new Date(trueTime() + aheadMs),
    metrics: createTestMetrics(),
    log: createLogger({ service: "test", level: "silent" }),
  })
  onTestFinished(() => sweep.close())
  vi.setSystemTime(start - hour)
  aheadMs = hour
  await vi.advanceTimersByTimeAsync(overdueAfterMs)
  expect(wrongByMs).toEqual([0])
})
