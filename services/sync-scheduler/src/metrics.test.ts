import { createMetrics } from "@sitewire/runtime"
import { expect, test } from "vitest"
import { registerGauges } from "./metrics.ts"

test("while Postgres is unavailable or hangs, its own metric is absent and all others stay, and no second reading begins", async () => {
  const registry = createMetrics("test")
  let due = async () => ({ count: 3, oldestSeconds: 1.5, unvacuumedRows: 8 })
  registerGauges(registry, {
    running: () => 2,
    openBreakers: () => 0,
    due: () => due(),
    oldestChangeSeconds: async () => 0.5,
    lag: async () => [{ partition: 0, lag: 1, oldestUnreadAt: new Date(Date.now() - 5_000) }],
  })
  const first = await registry.metrics()
  expect(first).toContain('sitewire_syncs_due{service="test"} 3\n')
  expect(first).toContain('sitewire_oldest_due_sync_seconds{service="test"} 1.5\n')
  expect(first).toContain('sitewire_oldest_unpublished_change_seconds{service="test"} 0.5\n')
  expect(first).toContain('sitewire_unvacuumed_rows{table="sync_window",service="test"} 8\n')
  expect(first).toMatch(/^sitewire_trigger_lag_seconds\{partition="0",service="test"\} 5/m)
  const hanging = Promise.withResolvers<never>()
  const failures: (() => Promise<never>)[] = [
    () => Promise.reject(new Error("connect ECONNREFUSED")),
    () => hanging.promise,
    () => hanging.promise,
  ]
  let readings = 0
  for (const failure of failures) {
    due = () => {
      readings += 1
      return failure()
    }
    const text = await registry.metrics()
    expect(text).not.toMatch(/^sitewire_(syncs_due|oldest_due_sync_seconds)\{/m)
    expect(text).toContain('sitewire_syncs_running{service="test"} 2\n')
    expect(text).toContain('sitewire_trigger_lag_records{partition="0",service="test"} 1\n')
  }
  expect(readings).toBe(2)
  hanging.reject(new Error("Query read timeout"))
  await expect(hanging.promise).rejects.toThrow()
  due = async () => ({ count: 0, oldestSeconds: 0, unvacuumedRows: 0 })
  expect(await registry.metrics()).toContain('sitewire_syncs_due{service="test"} 0\n')
})
