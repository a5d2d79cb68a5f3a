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
      return 0
    },
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
