import { attemptErrorSchema, deferralReasonSchema } from "@sitewire/contracts"
import type { BacklogMetrics } from "@sitewire/deliveries"
import {
  Counter,
  Gauge,
  Histogram,
  type PartitionLag,
  type Registry,
  readForMetric,
  registerLagGauges,
  registerReadGauges,
  registerUnvacuumedGauge,
} from "@sitewire/runtime"

/** No label contains an id, because the number of ids is unlimited. */
export function createDispatcherMetrics(registry: Registry) {
  const registers = [registry]
  const events = new Counter({
    name: "sitewire_site_paid_total",
    help: "Records of site.paid by outcome.",
    labelNames: ["outcome"],
    registers,
  })
  const deferred = new Counter({
    name: "sitewire_deliveries_deferred_total",
    help: "Deliveries that a dispatcher deferred, by reason. Resends are deferred by the console and not counted.",
    labelNames: ["reason"],
    registers,
  })
  const attempts = new Counter({
    name: "sitewire_attempts_total",
    help: "Attempts by outcome: delivered, or the class of the error.",
    labelNames: ["outcome"],
    registers,
  })
  // Series start at 0, because alerts use them, and Prometheus sees no increase in a series that starts at 1.
  for (const outcome of ["accepted", "duplicate", "invalid", "erased"]) events.inc({ outcome }, 0)
  for (const outcome of ["delivered", ...attemptErrorSchema.options]) attempts.inc({ outcome }, 0)
  for (const reason of deferralReasonSchema.options) deferred.inc({ reason }, 0)
  return {
    events,
    deferred,
    claimed: new Counter({
      name: "sitewire_deliveries_claimed_total",
      help: "Deferred deliveries that this process claimed in order to attempt them.",
      registers,
    }),
    attempts,
    attemptSeconds: new Histogram({
      name: "sitewire_attempt_seconds",
      help: "Duration of attempts until the head of the response.",
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    paidToAttempted: new Histogram({
      name: "sitewire_paid_to_attempted_seconds",
      help:
        "From the append of an event to site.paid to the end of the first attempt of its delivery. Deliveries that were " +
        "deferred before it are not counted.",
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60, 300, 900, 3_600],
      registers,
    }),
    stale: new Counter({
      name: "sitewire_deliveries_stale_total",
      help: "Retry records dropped because their attempt was made already, or their delivery is deferred or finished.",
      registers,
    }),
    dead: new Counter({
      name: "sitewire_deliveries_dead_total",
      help: "Deliveries that became dead.",
      registers,
    }),
  }
}

export type DispatcherMetrics = ReturnType<typeof createDispatcherMetrics>

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
  registerReadGauges(registry, () => read, [
    {
      name: "sitewire_records_outstanding",
      help: "Records consumed from Kafka and not finished.",
      of: ({ outstanding }) => outstanding(),
    },
    { name: "sitewire_attempts_in_flight", help: "Attempts in flight.", of: ({ inFlight }) => inFlight() },
    {
      name: "sitewire_breakers_open",
      help: "Channels whose circuit breaker is open in this process.",
      of: ({ breakersOpen }) => breakersOpen(),
    },
  ])
  registerLagGauges(registry, { name: "sitewire_site_paid_lag", records: "Records of site.paid" }, read.lag)
  registerBacklogGauges(registry, read.backlog)
}

/** Absent while Postgres is unavailable, because old values would mislead. */
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
