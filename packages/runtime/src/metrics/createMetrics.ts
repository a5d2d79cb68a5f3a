import { collectDefaultMetrics, Registry } from "prom-client"

export { Counter, Gauge, Histogram, type Registry } from "prom-client"

/** A registry with the default metrics of a process. Each process has one; none is global. */
export function createMetrics(service: string): Registry {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  collectDefaultMetrics({ register: registry })
  return registry
}
