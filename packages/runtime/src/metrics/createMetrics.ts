import { collectDefaultMetrics, Registry } from "prom-client"

export { Counter, Gauge, Histogram, Registry } from "prom-client"

export function createMetrics(service: string): Registry {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  collectDefaultMetrics({ register: registry })
  return registry
}
