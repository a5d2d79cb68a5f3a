import { type Dashboard, lines, number } from "../dashboard.ts"

const failedAttempts =
  'sum(rate(sitewire_attempts_total{outcome!="delivered"}[$rate])) / sum(rate(sitewire_attempts_total[$rate]))'
const rejectedTriggers =
  'sum(rate(sitewire_triggers_total{outcome="unavailable"}[$rate])) / ' +
  'sum(rate(sitewire_triggers_total{outcome=~"accepted|unavailable"}[$rate]))'

export const overview: Dashboard = {
  id: "overview",
  title: "Sitewire: overview",
  panels: [
    number({
      title: "Alerts firing",
      help: "The alerts page of Prometheus names them.",
      unit: "count",
      queries: [{ expr: 'count(ALERTS{alertstate="firing"}) or vector(0)', legend: "alerts" }],
      alertAbove: 0,
    }),
    number({
      title: "Processes not ready",
      help: "Their /readyz says why.",
      unit: "count",
      queries: [{ expr: "count(sitewire_ready) - sum(sitewire_ready)", legend: "not ready" }],
      alertAbove: 0,
    }),
    number({
      title: "Oldest unread event",
      help: "How long the oldest event of site.paid has waited.",
      unit: "seconds",
      queries: [{ expr: "max(sitewire_site_paid_lag_seconds)", legend: "age" }],
      alertAbove: 120,
    }),
    number({
      title: "Most overdue attempt",
      help: "By how much the oldest scheduled attempt is overdue.",
      unit: "seconds",
      queries: [{ expr: "max(sitewire_oldest_overdue_seconds)", legend: "overdue" }],
      alertAbove: 900,
    }),
    number({
      title: "Oldest unread trigger",
      help: "How long the oldest accepted trigger has waited to be recorded.",
      unit: "seconds",
      queries: [{ expr: "max(sitewire_trigger_lag_seconds)", legend: "age" }],
      alertAbove: 60,
    }),
    number({
      title: "Oldest due sync",
      help: "How long a sync has been due and has not started.",
      unit: "seconds",
      queries: [{ expr: "max(sitewire_oldest_due_sync_seconds)", legend: "due" }],
      alertAbove: 60,
    }),
    lines({
      title: "Deliveries",
      help: "If events arrive and no attempts are made, events wait.",
      unit: "per second",
      queries: [
        {
          expr: 'sum(rate(sitewire_site_paid_total{outcome="accepted"}[$rate]))',
          legend: "accepted events",
        },
        {
          expr: 'sum(rate(sitewire_attempts_total{outcome="delivered"}[$rate]))',
          legend: "delivered",
        },
        {
          expr: 'sum(rate(sitewire_attempts_total{outcome!="delivered"}[$rate]))',
          legend: "failed attempts",
        },
      ],
    }),
    lines({
      title: "Triggers and syncs",
      help: "One sync serves all triggers of its connection within a minute.",
      unit: "per second",
      queries: [
        {
          expr: 'sum(rate(sitewire_triggers_total{outcome="accepted"}[$rate]))',
          legend: "accepted triggers",
        },
        { expr: "sum(rate(sitewire_syncs_total[$rate]))", legend: "syncs" },
      ],
    }),
    lines({
      title: "Failed attempts",
      help: "Of all partners together. One partner that is down makes this share small.",
      unit: "share",
      queries: [{ expr: failedAttempts, legend: "failed" }],
      alertAbove: 0.3,
    }),
    lines({
      title: "Rejected triggers",
      help: "Triggers that got 503, because Kafka or Postgres did not respond in time.",
      unit: "share",
      queries: [{ expr: rejectedTriggers, legend: "rejected" }],
      alertAbove: 0.0144,
    }),
    lines({
      title: "What waits, and for how long",
      help: "Each grows while nothing works on it, whatever the cause is.",
      unit: "seconds",
      width: 24,
      queries: [
        { expr: "max(sitewire_site_paid_lag_seconds)", legend: "unread event" },
        { expr: "max(sitewire_oldest_overdue_seconds)", legend: "overdue attempt" },
        { expr: "max(sitewire_trigger_lag_seconds)", legend: "unread trigger" },
        { expr: "max(sitewire_oldest_due_sync_seconds)", legend: "due sync" },
      ],
    }),
    lines({
      title: "Ready",
      help: "1 if the process is ready. A gap: Prometheus did not reach it.",
      unit: "count",
      queries: [{ expr: "sitewire_ready", legend: "{{instance}}" }],
    }),
    lines({
      title: "Memory",
      help: "Resident memory. It does not grow with what waits.",
      unit: "bytes",
      queries: [
        {
          expr: "process_resident_memory_bytes and on (instance) sitewire_ready",
          legend: "{{instance}}",
        },
      ],
    }),
    lines({
      title: "CPU",
      help: "Cores in use. A process uses little more than one.",
      unit: "count",
      queries: [
        {
          expr: "rate(process_cpu_seconds_total[$rate]) and on (instance) sitewire_ready",
          legend: "{{instance}}",
        },
      ],
    }),
    lines({
      title: "Event loop delay, p99",
      help: "How long a callback waits for the CPU. Above 0.1 s, the process is overloaded.",
      unit: "seconds",
      queries: [
        {
          expr: "nodejs_eventloop_lag_p99_seconds and on (instance) sitewire_ready",
          legend: "{{instance}}",
        },
      ],
    }),
  ],
}
