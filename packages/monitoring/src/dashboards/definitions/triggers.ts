import { type Dashboard, lines, number, quantiles } from "../dashboard.ts"

export const triggers: Dashboard = {
  id: "triggers",
  title: "Sitewire: triggers and syncs",
  panels: [
    number({
      title: "Triggers",
      help: "Accepted triggers.",
      unit: "per second",
      width: 6,
      queries: [
        { expr: 'sum(rate(sitewire_triggers_total{outcome="accepted"}[$rate]))', legend: "triggers" },
      ],
    }),
    number({
      title: "Syncs",
      help: "With every outcome.",
      unit: "per second",
      width: 6,
      queries: [{ expr: "sum(rate(sitewire_syncs_total[$rate]))", legend: "syncs" }],
    }),
    number({
      title: "Connections that wait",
      help: "They are due and have no permit yet.",
      unit: "count",
      width: 6,
      queries: [{ expr: "max(sitewire_syncs_due)", legend: "connections" }],
    }),
    number({
      title: "Unreachable source hosts",
      help: "In the scheduler that has most. Its log names them.",
      unit: "count",
      width: 6,
      queries: [{ expr: "max(sitewire_source_breakers_open)", legend: "hosts" }],
    }),
    lines({
      title: "Triggers by outcome",
      help: "unavailable: 503. not_found: a wrong URL or a replaced token.",
      unit: "per second",
      queries: [{ expr: "sum by (outcome) (rate(sitewire_triggers_total[$rate]))", legend: "{{outcome}}" }],
    }),
    lines({
      title: "Time to respond to a trigger",
      help: "A 202 waits for Postgres and Kafka.",
      unit: "seconds",
      queries: quantiles("sitewire_trigger_response_seconds"),
    }),
    lines({
      title: "Triggers that wait in each gateway",
      help: "Grows if Kafka or Postgres are slow.",
      unit: "count",
      queries: [{ expr: "sitewire_triggers_waiting", legend: "{{instance}}" }],
    }),
    lines({
      title: "Age of the oldest unread trigger, and of the oldest due sync",
      help: "Alerts fire above 60 s.",
      unit: "seconds",
      queries: [
        { expr: "max(sitewire_trigger_lag_seconds)", legend: "unread trigger" },
        { expr: "max(sitewire_oldest_due_sync_seconds)", legend: "due sync" },
      ],
      alertAbove: 60,
    }),
    lines({
      title: "From a first trigger to the sync's end",
      help: "Of syncs that waited for their window only: at most a minute and a sync.",
      unit: "seconds",
      queries: quantiles("sitewire_trigger_to_synced_seconds", '{kind="window"}'),
      alertAbove: 75,
    }),
    lines({
      title: "Syncs by outcome",
      help: "failed: the source. stale: a newer start had been granted.",
      unit: "per second",
      queries: [{ expr: "sum by (outcome) (rate(sitewire_syncs_total[$rate]))", legend: "{{outcome}}" }],
    }),
    lines({
      title: "Duration of syncs",
      help: "Slow sources share half of the permits.",
      unit: "seconds",
      queries: quantiles("sitewire_sync_seconds"),
    }),
    lines({
      title: "Syncs that run and wait",
      help: "If they run at SYNC_MAX_RUNNING, increase it or add a replica.",
      unit: "count",
      queries: [
        { expr: "sum(sitewire_syncs_running)", legend: "running" },
        { expr: "max(sitewire_syncs_due)", legend: "waiting" },
      ],
    }),
  ],
}
