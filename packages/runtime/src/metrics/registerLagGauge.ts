import { Gauge, type Registry } from "prom-client"
import { readForMetric } from "./readForMetric.ts"

/** A gauge of how far a consumer is behind: asked for when the metrics are read, left out while Kafka does not answer. */
export function registerLagGauge(
  registry: Registry,
  gauge: { name: string; records: string },
  read: () => Promise<{ partition: number; lag: number }[]>,
): void {
  new Gauge({
    name: gauge.name,
    help: `${gauge.records} appended and not committed, by partition of this consumer; left out while Kafka does not answer.`,
    labelNames: ["partition"],
    registers: [registry],
    async collect() {
      const lags = await readForMetric(read())
      this.reset()
      for (const { partition, lag } of lags ?? []) this.set({ partition }, lag)
    },
  })
}
