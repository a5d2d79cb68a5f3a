import { Counter, Gauge, Histogram, type Registry, readForMetric, registerLagGauge } from "@sitewire/runtime"

/** What operators see of triggers and syncs. No label holds an id: their number has no bound. */
export function createSchedulerMetrics(registry: Registry) {
  const registers = [registry]
  return {
    triggers: new Counter({
      name: "sitewire_triggers_ingested_total",
      help: "Accepted triggers taken in.",
      registers,
    }),
    refused: new Counter({
      name: "sitewire_trigger_records_invalid_total",
      help: "Records of connector.triggered that could not be used.",
      registers,
    }),
    syncs: new Counter({
      name: "sitewire_syncs_total",
      help: "Syncs by outcome; stale: a newer one had been granted, so nothing was written.",
      labelNames: ["outcome"],
      registers,
    }),
    claimFailures: new Counter({
      name: "sitewire_sync_claim_failures_total",
      help: "Due connections whose sync cannot be granted, because Postgres rejects their rows' values.",
      registers,
    }),
    unrecorded: new Counter({
      name: "sitewire_syncs_unrecorded_total",
      help: "Syncs whose end could not be recorded; they are due again after their lease.",
      registers,
    }),
    syncSeconds: new Histogram({
      name: "sitewire_sync_seconds",
      help: "Duration of syncs.",
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 40, 50],
      registers,
    }),
    triggerToSynced: new Histogram({
      name: "sitewire_trigger_to_synced_seconds",
      help:
        "From a sync's first trigger to the sync's end. during_run: the trigger came while an earlier sync of its " +
        "connection was running, so it had to wait for the next window. after_failure: the source had failed.",
      labelNames: ["kind"],
      buckets: [1, 2, 3, 4, 5, 7.5, 10, 20, 30, 45, 60, 75, 90, 120, 300, 900],
      registers,
    }),
  }
}

export type SchedulerMetrics = ReturnType<typeof createSchedulerMetrics>

/** Figures that are read when somebody looks. Registered last, when all that is read exists. */
export function exposeState(
  registry: Registry,
  read: {
    running: () => number
    openBreakers: () => number
    /** Windows that are due and have not been started, in the whole installation. */
    due: () => Promise<number>
    lag: () => Promise<{ partition: number; lag: number }[]>
  },
): void {
  const registers = [registry]
  new Gauge({
    name: "sitewire_syncs_running",
    help: "Syncs under way in this process.",
    registers,
    collect() {
      this.set(read.running())
    },
  })
  new Gauge({
    name: "sitewire_source_breakers_open",
    help: "Source hosts whose circuit breaker is open in this process: they cannot be reached.",
    registers,
    collect() {
      this.set(read.openBreakers())
    },
  })
  new Gauge({
    name: "sitewire_syncs_due",
    help: "Connections that are due and wait for a permit, in the whole installation.",
    registers,
    async collect() {
      // A database that is away says nothing about this figure: not 0.
      const due = await readForMetric(read.due())
      if (due === undefined) this.remove()
      else this.set(due)
    },
  })
  registerLagGauge(registry, { name: "sitewire_trigger_lag_records", records: "Trigger records" }, read.lag)
}
