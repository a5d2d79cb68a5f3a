import { createMetrics } from "@sitewire/runtime"
import { expect, test } from "vitest"
import { createMeasures } from "./metrics.ts"

test("every outcome is there from the start: the first trigger that is turned away is an increase as well", async () => {
  const registry = createMetrics("test")
  createMeasures(registry, { waiting: () => 0, unavailablePartitions: () => 0 })
  const text = await registry.metrics()
  for (const outcome of ["accepted", "not_found", "too_large", "unavailable", "method"])
    expect(text).toContain(`sitewire_triggers_total{outcome="${outcome}",service="test"} 0\n`)
})
