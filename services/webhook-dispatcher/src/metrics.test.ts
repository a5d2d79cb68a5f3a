import { createMetrics } from "@sitewire/runtime"
import { expect, test } from "vitest"
import { createDispatcherMetrics } from "./metrics.ts"

test("what alerts watch is there from the start: the first event of all is an increase as well", async () => {
  const registry = createMetrics("test")
  createDispatcherMetrics(registry, {
    inHand: () => 0,
    inFlight: () => 0,
    breakersOpen: () => 0,
    lag: () => [],
  })
  const text = await registry.metrics()
  for (const outcome of ["accepted", "duplicate", "invalid"])
    expect(text).toContain(`sitewire_site_paid_total{outcome="${outcome}",service="test"} 0\n`)
  for (const why of ["busy", "breaker", "paused", "fault"])
    expect(text).toContain(`sitewire_deliveries_put_off_total{why="${why}",service="test"} 0\n`)
})
