import { createMetrics } from "@sitewire/runtime"
import { expect, onTestFinished, test, vi } from "vitest"
import { createDispatcherMetrics, registerGauges } from "./metrics.ts"

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

const read = {
  outstanding: () => 3,
  inFlight: () => 0,
  breakersOpen: () => 0,
  lag: async () => [{ partition: 2, lag: 7, oldestUnreadAt: null }],
  backlog: async () => ({
    byReason: [{ reason: "paused", count: 7 }],
    oldestDeferredSeconds: 42,
    oldestOverdueSeconds: 0,
    unvacuumedRows: 8,
    daysAhead: 7,
  }),
}

test("while Kafka is unavailable, only the lag is omitted", async () => {
  const registry = createMetrics("test")
  let lag = read.lag
  registerGauges(registry, { ...read, lag: () => lag() })
  expect(await registry.metrics()).toContain(
    'sitewire_site_paid_lag_records{partition="2",service="test"} 7\n',
  )
  lag = () => Promise.reject(new Error("connect ECONNREFUSED"))
  const text = await registry.metrics()
  expect(text).not.toContain("sitewire_site_paid_lag_records{")
  expect(text).toContain('sitewire_records_outstanding{service="test"} 3\n')
})

test("deferred deliveries are counted by reason; while Postgres is unavailable, only its gauges are omitted", async () => {
  const registry = createMetrics("test")
  registerGauges(registry, read)
  const text = await registry.metrics()
  expect(text).toContain('sitewire_deferred_deliveries{reason="paused",service="test"} 7\n')
  expect(text).toContain('sitewire_deferred_deliveries{reason="busy",service="test"} 0\n')
  expect(text).toContain('sitewire_oldest_deferred_seconds{service="test"} 42\n')
  expect(text).toContain('sitewire_oldest_overdue_seconds{service="test"} 0\n')
  expect(text).toContain('sitewire_unvacuumed_rows{table="waiting_delivery",service="test"} 8\n')
  expect(text).toContain('sitewire_days_ahead{service="test"} 7\n')

  const other = createMetrics("test")
  registerGauges(other, { ...read, backlog: () => Promise.reject(new Error("unavailable")) })
  const without = await other.metrics()
  expect(without).not.toMatch(
    /^sitewire_(deferred_deliveries|oldest_deferred_seconds|oldest_overdue_seconds|unvacuumed_rows|days_ahead)[{ ]/m,
  )
  expect(without).toContain('sitewire_records_outstanding{service="test"} 3\n')
})

test("while a query of deferred deliveries runs, no scrape starts another one", async () => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] })
  onTestFinished(() => void vi.useRealTimers())
  const registry = createMetrics("test")
  const running = Promise.withResolvers<Awaited<ReturnType<typeof read.backlog>>>()
  let started = 0
  const backlog = () => {
    started += 1
    return running.promise
  }
  registerGauges(registry, { ...read, backlog })
  for (let scrape = 0; scrape < 3; scrape++) {
    const scraping = registry.metrics()
    await vi.advanceTimersByTimeAsync(60_000)
    await scraping
  }
  expect(started).toBe(1)
  running.resolve(await read.backlog())
  await running.promise
  await vi.advanceTimersByTimeAsync(60_000)
  await registry.metrics()
  expect(started).toBe(2)
})
