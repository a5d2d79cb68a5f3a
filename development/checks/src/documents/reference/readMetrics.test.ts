import { expect, test } from "vitest"
import { findMetrics } from "./readMetrics.ts"

test("type, help and labels of counters, histograms and gauges are read", () => {
  const source = `
    new Counter({
      name: "sitewire_a_total",
      help: "One text, " + "in two parts.",
      labelNames: ["outcome", "kind"],
      registers,
    })
    new Histogram({ name: "sitewire_b_seconds", help: "B.", buckets: [1, 2], registers })
    const ages = [{ name: "sitewire_c_seconds", help: "C.", of: ({ byReason }) => byReason }]
    new Gauge({ name: "sitewire_d", help: "D.", collect() { this.set(1) } })`
  expect(findMetrics(source)).toEqual([
    {
      name: "sitewire_a_total",
      type: "counter",
      help: "One text, in two parts.",
      labels: ["outcome", "kind"],
    },
    { name: "sitewire_b_seconds", type: "histogram", help: "B.", labels: [] },
    { name: "sitewire_c_seconds", type: "gauge", help: "C.", labels: [] },
    { name: "sitewire_d", type: "gauge", help: "D.", labels: [] },
  ])
})

test("lag gauges have the help texts and label that all lag gauges have", () => {
  const source = 'registerLagGauges(registry, { name: "sitewire_x_lag", records: "X records" }, read)'
  expect(findMetrics(source)).toEqual([
    {
      name: "sitewire_x_lag_records",
      type: "gauge",
      help: expect.stringMatching(/^X records/),
      labels: ["partition"],
    },
    { name: "sitewire_x_lag_seconds", type: "gauge", help: expect.any(String), labels: ["partition"] },
  ])
})

test("a metric without a help text is an error and not an empty cell", () => {
  expect(() => findMetrics('new Gauge({ name: "sitewire_x", help: text })')).toThrow("sitewire_x")
})
