import { Gauge, type Registry } from "prom-client"
import { readForMetric } from "./readForMetric.ts"

export type PartitionLag = { partition: number; lag: number; oldestUnreadAt: Date | null }

/** Registers `<name>_records` and `<name>_seconds`. */
export function registerLagGauges(
  registry: Registry,
  { name, records }: { name: string; records: string },
  read: () => Promise<PartitionLag[]>,
): void {
  const readLags = readForMetric(read)
  const gauges = [
    {
      unit: "records",
      help: `${records} appended and not committed, by partition of this consumer; omitted while Kafka is unavailable.`,
      of: ({ lag }: PartitionLag) => lag,
    },
    {
      unit: "seconds",
      help: "Age of the oldest of them by its timestamp in Kafka, by partition of this consumer; 0 if there is none.",
      of: ageOfOldest,
    },
  ]
  for (const { unit, help, of } of gauges) {
    new Gauge({
      name: `${name}_${unit}`,
      help,
      labelNames: ["partition"],
      registers: [registry],
      async collect() {
        const lags = await readLags()
        this.reset()
        for (const lag of lags ?? []) {
          const value = of(lag)
          if (value !== null) this.set({ partition: lag.partition }, value)
        }
      },
    })
  }
}

/** Null if the record could not be read. */
function ageOfOldest({ lag, oldestUnreadAt }: PartitionLag): number | null {
  if (lag === 0) return 0
  return oldestUnreadAt && Math.max(0, (Date.now() - oldestUnreadAt.getTime()) / 1_000)
}
