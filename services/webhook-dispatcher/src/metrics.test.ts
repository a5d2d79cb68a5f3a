import { createMetrics } from "@sitewire/runtime"
import { expect, test } from "vitest"
import { createDispatcherMetrics } from "./metrics.ts"

test("counters that alerts use are 0 from the start, so that the first event is an increase", async () => {
  const registry = createMetrics("test")
  createDispatcherMetrics(registry)
  const text = await registry.metrics()
  for (const outcome of ["accepted", "duplicate", "invalid", "erased"])
    expect(text).toContain(`sitewire_site_paid_total{outcome="${outcome}",service="test"} 0\n`)
  for (const outcome of ["delivered", "timeout", "status", "dns"])
    expect(text).toContain(`sitewire_attempts_total{outcome="${outcome}",service="test"} 0\n`)
  for (const reason of ["busy", "breaker", "paused", "fault", "resend", "overdue", "rate"])
    expect(text).toContain(`sitewire_deliveries_deferred_total{reason="${reason}",service="test"} 0\n`)
})
