import { deferralReasonSchema } from "@sitewire/contracts"
import type { BacklogMetrics } from "@sitewire/deliveries"
import {
  Gauge,
  type PartitionLag,
  type Registry,
  readForMetric,
  registerLagGauges,
  registerReadGauges,
  registerUnvacuumedGauge,
} from "@sitewire/runtime"

/** Limits how often Postgres is queried. */
const backlogMaxAgeMs = 10_000

export function registerGauges(
  registry: Registry,
  read: {
    outstanding: () => number
    inFlight: () => number
    breakersOpen: () => number
    lag: () => Promise<PartitionLag[]>
    backlog: () => Promise<BacklogMetrics>
  },
): void {
  const registers = [registry]
  new Gauge({
    name: "sitewire_records_outstanding",
    help: "Records consumed from Kafka and not finished.",
    registers,
    collect() {
      this.set(read.outstanding())
    },
  })
  new Gauge({
    name: "sitewire_attempts_in_flight",
    help: "Attempts in flight.",
    registers,
    collect() {
      this.set(read.inFlight())
    },
  })
  new Gauge({
    name: "sitewire_breakers_open",
    help: "Channels whose circuit breaker is open in this process.",
    registers,
    collect() {
      this.set(read.breakersOpen())
    },
  })
  registerLagGauges(registry, { name: "sitewire_site_paid_lag", records: "Records of site.paid" }, read.lag)
  registerBacklogGauges(registry, read.backlog)
}

/** The gauges are absent while Postgres is unavailable, because old values would mislead. */
function registerBacklogGauges(registry: Registry, readBacklog: () => Promise<BacklogMetrics>): void {
  const readNow = readForMetric(readBacklog)
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<BacklogMetrics | undefined> = Promise.resolve(undefined)
  const read = () => {
    if (performance.now() - readAt < backlogMaxAgeMs) return reading
    readAt = performance.now()
    reading = readNow()
    return reading
  }
  new Gauge({
    name: "sitewire_deferred_deliveries",
    help: "Deferred deliveries of the whole installation, by reason; at most 100000 are counted.",
    labelNames: ["reason"],
    registers: [registry],
    async collect() {
      const backlog = await read()
      this.reset()
      if (!backlog) return
      for (const reason of deferralReasonSchema.options) {
        this.set({ reason }, backlog.byReason.find((row) => row.reason === reason)?.count ?? 0)
      }
    },
  })
  registerUnvacuumedGauge(registry, "waiting_delivery", async () => (await read())?.unvacuumedRows)
  registerReadGauges(registry, read, [
    {
      name: "sitewire_oldest_deferred_seconds",
      help: "Age of the oldest deferral, of channels that are not paused; 0 if there is none.",
      of: ({ oldestDeferredSeconds }) => oldestDeferredSeconds,
    },
    {
      name: "sitewire_oldest_overdue_seconds",
      help: "By how much the oldest scheduled attempt is overdue; 0 if none is.",
      of: ({ oldestOverdueSeconds }) => oldestOverdueSeconds,
    },
    {
      name: "sitewire_days_ahead",
      help: "Days after today, without a gap, for which Postgres has partitions of deliveries.",
      of: ({ daysAhead }) => daysAhead,
    },
  ])
}
