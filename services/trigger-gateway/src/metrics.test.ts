import { createMetrics } from "@sitewire/runtime"
import { expect, test } from "vitest"
import { createGatewayMetrics } from "./metrics.ts"

test("every outcome starts at 0, so that the first rejected trigger is an increase as well", async () => {
  const registry = createMetrics("test")
  createGatewayMetrics(registry)
  const text = await registry.metrics()
  for (const outcome of ["accepted", "not_found", "too_large", "unavailable", "method"])
    expect(text).toContain(`sitewire_triggers_total{outcome="${outcome}",service="test"} 0\n`)
})
