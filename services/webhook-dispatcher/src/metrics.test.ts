import { createMetrics } from "@sitewire/runtime"
import { expect, test } from "vitest"
import { createDispatcherMetrics } from "./metrics.ts"

test("a broker that is away takes one figure away and no other", async () => {
  const registry = createMetrics("test")
  let lag = async () => [{ partition: 2, lag: 7 }]
  createDispatcherMetrics(registry, {
    inHand: () => 3,
    inFlight: () => 0,
    breakersOpen: () => 0,
    lag: () => lag(),
  })
  expect(await registry.metrics()).toContain(
    'sitewire_site_paid_lag_records{partition="2",service="test"} 7\n',
  )
  lag = () => Promise.reject(new Error("connect ECONNREFUSED"))
  const text = await registry.metrics()
  expect(text).not.toContain("sitewire_site_paid_lag_records{")
  expect(text).toContain('sitewire_deliveries_in_hand{service="test"} 3\n')
})

test("what alerts watch is there from the start: the first event of all is an increase as well", async () => {
  const registry = createMetrics("test")
  createDispatcherMetrics(registry, {
    inHand: () => 0,
    inFlight: () => 0,
    breakersOpen: () => 0,
    lag: async () => [],
  })
  const text = await registry.metrics()
  for (const outcome of ["accepted", "duplicate", "invalid"])
    expect(text).toContain(`sitewire_site_paid_total{outcome="${outcome}",service="test"} 0\n`)
  for (const why of ["busy", "breaker", "paused", "fault"])
    expect(text).toContain(`sitewire_deliveries_put_off_total{why="${why}",service="test"} 0\n`)
})
