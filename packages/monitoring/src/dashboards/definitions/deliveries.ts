import { type Dashboard, lines, number, quantiles } from "../dashboard.ts"

export const deliveries: Dashboard = {
  id: "deliveries",
  title: "Sitewire: deliveries",
  panels: [
    number({
      title: "Events",
      help: "Accepted events of site.paid.",
      unit: "per second",
      width: 6,
      queries: [{ expr: 'sum(rate(sitewire_site_paid_total{outcome="accepted"}[$rate]))', legend: "events" }],
    }),
    number({
      title: "Deferred deliveries",
      help: "They wait in Postgres until their channel has capacity.",
      unit: "count",
      width: 6,
      queries: [{ expr: "sum(max by (reason) (sitewire_deferred_deliveries))", legend: "deferred" }],
    }),
    number({
      title: "Channels with an open breaker",
      help: "In the dispatcher that has most.",
      unit: "count",
      width: 6,
      queries: [{ expr: "max(sitewire_breakers_open)", legend: "channels" }],
    }),
    number({
      title: "Dead within an hour",
      help: "Their partners accepted nothing for the retry period.",
      unit: "count",
      width: 6,
      queries: [{ expr: "round(sum(increase(sitewire_deliveries_dead_total[1h])))", legend: "dead" }],
      alertAbove: 0,
    }),
    lines({
      title: "Events by outcome",
      help: "invalid: the publisher's error. duplicate: published twice.",
      unit: "per second",
      queries: [{ expr: "sum by (outcome) (rate(sitewire_site_paid_total[$rate]))", legend: "{{outcome}}" }],
    }),
    lines({
      title: "Attempts by outcome",
      help: "If many channels fail in the same way, the cause is probably ours.",
      unit: "per second",
      queries: [{ expr: "sum by (outcome) (rate(sitewire_attempts_total[$rate]))", legend: "{{outcome}}" }],
    }),
    lines({
      title: "Unread events",
      help: "Records of site.paid that no dispatcher has finished.",
      unit: "count",
      queries: [{ expr: "sum(sitewire_site_paid_lag_records)", legend: "records" }],
    }),
    lines({
      title: "Age of the oldest unread event, and of the most overdue attempt",
      help: "Alerts fire above 120 s and 900 s.",
      unit: "seconds",
      queries: [
        { expr: "max(sitewire_site_paid_lag_seconds)", legend: "unread event" },
        { expr: "max(sitewire_oldest_overdue_seconds)", legend: "overdue attempt" },
      ],
      alertAbove: 120,
    }),
    lines({
      title: "Duration of attempts",
      help: "Until the head of the response. Near DELIVERY_TIMEOUT: partners are slow.",
      unit: "seconds",
      queries: quantiles("sitewire_attempt_seconds"),
    }),
    lines({
      title: "Work in each dispatcher",
      help: "Outstanding records at MAX_OUTSTANDING_RECORDS: another replica helps.",
      unit: "count",
      queries: [
        { expr: "sitewire_records_outstanding", legend: "records of {{instance}}" },
        { expr: "sitewire_attempts_in_flight", legend: "attempts of {{instance}}" },
      ],
    }),
    lines({
      title: "Deferred deliveries by reason",
      help: "fault is ours; breaker, busy, paused and rate are of one channel each.",
      unit: "count",
      queries: [{ expr: "max by (reason) (sitewire_deferred_deliveries)", legend: "{{reason}}" }],
    }),
    lines({
      title: "Deferrals by reason",
      help: "How many deliveries are deferred, and how many of them are claimed again.",
      unit: "per second",
      queries: [
        { expr: "sum by (reason) (rate(sitewire_deliveries_deferred_total[$rate]))", legend: "{{reason}}" },
        { expr: "sum(rate(sitewire_deliveries_claimed_total[$rate]))", legend: "claimed" },
      ],
    }),
  ],
}
