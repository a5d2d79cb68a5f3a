import {
  Counter,
  Histogram,
  type PartitionLag,
  type Registry,
  readForMetric,
  registerLagGauges,
  registerReadGauges,
  registerUnvacuumedGauge,
} from "@sitewire/runtime"
import type { DueSyncs } from "@sitewire/syncs"

/** No label contains an id, because the number of ids is unlimited. */
export function createSchedulerMetrics(registry: Registry) {
  const registers = [registry]
  const syncs = new Counter({
    name: "sitewire_syncs_total",
    help: "Syncs by outcome. stale: a newer start had been granted, so the result was discarded.",
    labelNames: ["outcome"],
    registers,
  })
  // Series start at 0, because Prometheus sees no increase in a series that starts at 1.
  for (const outcome of ["changed", "unchanged", "failed", "abandoned", "stale"]) syncs.inc({ outcome }, 0)
  return {
    triggers: new Counter({
      name: "sitewire_triggers_ingested_total",
      help: "Accepted triggers that were recorded in Postgres.",
      registers,
    }),
    invalidRecords: new Counter({
      name: "sitewire_trigger_records_invalid_total",
      help: "Invalid records of connector.triggered that were skipped. The log has their offsets.",
      registers,
    }),
    syncs,
    claimFailures: new Counter({
      name: "sitewire_sync_claim_failures_total",
      help: "Due connections whose sync cannot be granted, because Postgres rejects their rows' values.",
      registers,
    }),
    unrecorded: new Counter({
      name: "sitewire_syncs_unrecorded_total",
      help: "Syncs whose end could not be recorded. They start again after their lease.",
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

export function registerGauges(
  registry: Registry,
  read: {
    running: () => number
    openBreakers: () => number
    due: () => Promise<DueSyncs>
    oldestChangeSeconds: () => Promise<number>
    lag: () => Promise<PartitionLag[]>
  },
): void {
  registerReadGauges(registry, () => read, [
    {
      name: "sitewire_syncs_running",
      help: "Syncs in flight in this process, and those whose end is being recorded.",
      of: ({ running }) => running(),
    },
    {
      name: "sitewire_source_breakers_open",
      help: "Source hosts whose circuit breaker is open in this process: they cannot be reached.",
      of: ({ openBreakers }) => openBreakers(),
    },
  ])
  registerReadGauges(registry, readForMetric(read.oldestChangeSeconds), [
    {
      name: "sitewire_oldest_unpublished_change_seconds",
      help: "How long a new content has not been published to connection.changed, at most; 0 if there is none.",
      of: (seconds) => seconds,
    },
  ])
  const readDue = readForMetric(read.due)
  registerUnvacuumedGauge(registry, "sync_window", async () => (await readDue())?.unvacuumedRows)
  registerReadGauges(registry, readDue, [
    {
      name: "sitewire_syncs_due",
      help: "Connections that are due and wait for a permit, in the whole installation. At most 200,000 are counted.",
      of: ({ count }) => count,
    },
    {
      name: "sitewire_oldest_due_sync_seconds",
      help:
        "How long the longest of them has been due, of those whose source host could be called by this process; " +
        "0 if there is none.",
      of: ({ oldestSeconds }) => oldestSeconds,
    },
  ])
  registerLagGauges(registry, { name: "sitewire_trigger_lag", records: "Trigger records" }, read.lag)
}
