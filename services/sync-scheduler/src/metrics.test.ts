import { createMetrics } from "@sitewire/runtime"
import { expect, test } from "vitest"
import { registerGauges } from "./metrics.ts"

test("while Postgres is unavailable or hangs, its own metric is absent and all others stay", async () => {
  const registry = createMetrics("test")
  let due = async () => 3
  registerGauges(registry, {
    running: () => 2,
    openBreakers: () => 0,
    due: () => due(),
    lag: async () => [{ partition: 0, lag: 1 }],
  })
  expect(await registry.metrics()).toContain('sitewire_syncs_due{service="test"} 3\n')
  const failures: (() => Promise<number>)[] = [
    () => Promise.reject(new Error("connect ECONNREFUSED")),
    () => new Promise(() => {}),
  ]
  for (const failure of failures) {
    due = failure
    const readAt = performance.now()
    const text = await registry.metrics()
    expect(performance.now() - readAt).toBeLessThan(5_000)
    expect(text).not.toContain("sitewire_syncs_due{")
    expect(text).toContain('sitewire_syncs_running{service="test"} 2\n')
    expect(text).toContain('sitewire_trigger_lag_records{partition="0",service="test"} 1\n')
  }
  due = async () => 0
  expect(await registry.metrics()).toContain('sitewire_syncs_due{service="test"} 0\n')
})
