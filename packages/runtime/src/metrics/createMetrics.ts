import { collectDefaultMetrics, Registry } from "prom-client"

export { Counter, Gauge, Histogram, Registry } from "prom-client"

export function createMetrics(service: string): Registry {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  // The lag of the event loop is the time between two ticks of this timer. Every 10 ms, the default, would take 0.005 of a core at rest.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 })
  return registry
}
