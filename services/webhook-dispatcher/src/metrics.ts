import { Counter, Gauge, Histogram, type Registry, readForMetric, registerLagGauge } from "@sitewire/runtime"
import type { BacklogMetrics } from "./deferred/readBacklogMetrics.ts"

const deferralReasons = ["busy", "breaker", "paused", "fault", "resend", "overdue"] as const

/** Whoever reads the metrics, Postgres is asked for what waits in its rows at most this often. */
const backlogMaxAgeMs = 10_000

/** What operators see of deliveries. No label holds an id: their number has no bound. */
export function createDispatcherMetrics(
  registry: Registry,
  read: {
    outstanding: () => number
    inFlight: () => number
    breakersOpen: () => number
    /** Of site.paid. */
    lag: () => Promise<{ partition: number; lag: number }[]>
    backlog: () => Promise<BacklogMetrics>
  },
) {
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
  registerLagGauge(
    registry,
    { name: "sitewire_site_paid_lag_records", records: "Records of site.paid" },
    read.lag,
  )
  registerBacklogGauges(registry, read.backlog)
  const events = new Counter({
    name: "sitewire_site_paid_total",
    help: "Records of site.paid by outcome.",
    labelNames: ["outcome"],
    registers,
  })
  const deferred = new Counter({
    name: "sitewire_deliveries_deferred_total",
    help: "Deliveries deferred in their rows, by reason. Resends are deferred by the console and not counted here.",
    labelNames: ["reason"],
    registers,
  })
  // Prometheus sees no increase in a series that begins at 1, and these are alerted on.
  for (const outcome of ["accepted", "duplicate", "invalid", "erased"]) events.inc({ outcome }, 0)
  for (const reason of deferralReasons) deferred.inc({ reason }, 0)
  return {
    events,
    deferred,
    claimed: new Counter({
      name: "sitewire_deliveries_claimed_total",
      help: "Deferred deliveries that this process claimed to attempt them.",
      registers,
    }),
    attempts: new Counter({
      name: "sitewire_attempts_total",
      help: "Attempts by outcome: delivered, or the error's class.",
      labelNames: ["outcome"],
      registers,
    }),
    attemptSeconds: new Histogram({
      name: "sitewire_attempt_seconds",
      help: "Duration of attempts, to the head of the response.",
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    stale: new Counter({
      name: "sitewire_deliveries_stale_total",
      help: "Records dropped because their attempt had been made, or their delivery was carried by its row.",
      registers,
    }),
    dead: new Counter({
      name: "sitewire_deliveries_dead_total",
      help: "Deliveries that became dead.",
      registers,
    }),
  }
}

/** The same in every replica. Left out while Postgres is unavailable: an old figure would be a false one. */
function registerBacklogGauges(registry: Registry, readBacklogMetrics: () => Promise<BacklogMetrics>): void {
  const registers = [registry]
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<BacklogMetrics | undefined> = Promise.resolve(undefined)
  const read = () => {
    if (performance.now() - readAt < backlogMaxAgeMs) return reading
    readAt = performance.now()
    reading = readForMetric(readBacklogMetrics())
    return reading
  }
  new Gauge({
    name: "sitewire_deferred_deliveries",
    help: "Deferred deliveries of the whole installation, by reason.",
    labelNames: ["reason"],
    registers,
    async collect() {
      const figures = await read()
      this.reset()
      if (!figures) return
      for (const reason of deferralReasons) {
        this.set({ reason }, figures.byReason.find((row) => row.reason === reason)?.count ?? 0)
      }
    },
  })
  const ages = [
    {
      name: "sitewire_oldest_deferred_seconds",
      help: "Since when the delivery has been deferred that was deferred first; 0: none is.",
      of: ({ byReason }: BacklogMetrics) =>
        Math.max(0, ...byReason.map(({ oldestSeconds }) => oldestSeconds)),
    },
    {
      name: "sitewire_oldest_overdue_seconds",
      help: "By how much the scheduled attempt is overdue that was due first; 0: none is.",
      of: ({ oldestOverdueSeconds }: BacklogMetrics) => oldestOverdueSeconds,
    },
  ]
  for (const { name, help, of } of ages) {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const figures = await read()
        if (!figures) this.remove()
        else this.set(of(figures))
      },
    })
  }
}

export type DispatcherMetrics = ReturnType<typeof createDispatcherMetrics>
