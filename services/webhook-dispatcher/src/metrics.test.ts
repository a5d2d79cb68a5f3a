import { createMetrics } from "@sitewire/runtime"
import { expect, test } from "vitest"
import { createDispatcherMetrics } from "./metrics.ts"

const backlog = async () => ({
  byReason: [{ reason: "paused", count: 7, oldestSeconds: 42 }],
  oldestOverdueSeconds: 0,
})

test("a broker that is unavailable takes one figure away and no other", async () => {
  const registry = createMetrics("test")
  let lag = async () => [{ partition: 2, lag: 7 }]
  createDispatcherMetrics(registry, {
    outstanding: () => 3,
    inFlight: () => 0,
    breakersOpen: () => 0,
    lag: () => lag(),
    backlog,
  })
  expect(await registry.metrics()).toContain(
    'sitewire_site_paid_lag_records{partition="2",service="test"} 7\n',
  )
  lag = () => Promise.reject(new Error("connect ECONNREFUSED"))
  const text = await registry.metrics()
  expect(text).not.toContain("sitewire_site_paid_lag_records{")
  expect(text).toContain('sitewire_records_outstanding{service="test"} 3\n')
})

test("what alerts watch is there from the start: the first event of all is an increase as well", async () => {
  const registry = createMetrics("test")
  createDispatcherMetrics(registry, {
    outstanding: () => 0,
    inFlight: () => 0,
    breakersOpen: () => 0,
    lag: async () => [],
    backlog,
  })
  const text = await registry.metrics()
  for (const outcome of ["accepted", "duplicate", "invalid", "erased"])
    expect(text).toContain(`sitewire_site_paid_total{outcome="${outcome}",service="test"} 0\n`)
  for (const reason of ["busy", "breaker", "paused", "fault", "resend", "overdue"])
    expect(text).toContain(`sitewire_deliveries_deferred_total{reason="${reason}",service="test"} 0\n`)
})

test("what is deferred is counted by reason; while the database is unavailable, its figures are left out", async () => {
  const read = { outstanding: () => 3, inFlight: () => 0, breakersOpen: () => 0, lag: async () => [] }
  const registry = createMetrics("test")
  createDispatcherMetrics(registry, { ...read, backlog })
  const text = await registry.metrics()
  expect(text).toContain('sitewire_deferred_deliveries{reason="paused",service="test"} 7\n')
  expect(text).toContain('sitewire_deferred_deliveries{reason="busy",service="test"} 0\n')
  expect(text).toContain('sitewire_oldest_deferred_seconds{service="test"} 42\n')
  expect(text).toContain('sitewire_oldest_overdue_seconds{service="test"} 0\n')

  const other = createMetrics("test")
  createDispatcherMetrics(other, { ...read, backlog: () => Promise.reject(new Error("unavailable")) })
  const without = await other.metrics()
  expect(without).not.toMatch(
    /^sitewire_(deferred_deliveries|oldest_deferred_seconds|oldest_overdue_seconds)[{ ]/m,
  )
  expect(without).toContain('sitewire_records_outstanding{service="test"} 3\n')
})
