import { Gauge, type Registry } from "prom-client"
import { readForMetric } from "./readForMetric.ts"

export function registerLagGauge(
  registry: Registry,
  gauge: { name: string; records: string },
  read: () => Promise<{ partition: number; lag: number }[]>,
): void {
  new Gauge({
    name: gauge.name,
    help: `${gauge.records} appended and not committed, by partition of this consumer; omitted while Kafka is unavailable.`,
    labelNames: ["partition"],
    registers: [registry],
    async collect() {
      const lags = await readForMetric(read())
      this.reset()
      for (const { partition, lag } of lags ?? []) this.set({ partition }, lag)
    },
  })
}
