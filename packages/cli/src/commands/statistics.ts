import type { StatisticPoint, Statistics } from "@sitewire/contracts"
import { deadCount } from "@sitewire/contracts/views"
import { Option } from "commander"
import type { CommandGroup } from "../command.ts"
import { call } from "../derive/call.ts"
import type { Style } from "../output/style.ts"
import { table, timeColumn } from "../output/table.ts"
import { duration } from "../output/time.ts"

const minutes: Record<string, number> = { minute: 1, hour: 60, day: 1_440 }

export const statistics: CommandGroup = {
  name: "statistics",
  description: "deliveries, attempts, triggers and syncs over time",
  commands: [
    call("statistics show", "readStatistics", {
      description: "show deliveries, attempts, latency, triggers and syncs per minute, hour or day",
      options: {
        merge: false,
        channel: "only this channel",
        created_after: "only rows that begin at this time or later",
        created_before: "only rows that begin before this time",
      },
      more: [
        new Option("--interval <interval>", "the length of a row")
          .choices(Object.keys(minutes))
          .default("minute"),
      ],
      prepare: (sent, { interval }) => void Object.assign(sent, { merge: minutes[String(interval)] }),
      notes:
        "Of the last 7 days; without times, the last 60 rows. A minute is counted a minute after its end. Hours and days are in UTC.",
      examples: [
        "sitewire statistics show",
        "sitewire statistics show --channel acme --interval hour --after 24h",
        "sitewire statistics show --interval day --json | jq '.data[] | [.started_at, .deliveries]'",
      ],
      print: describe,
    }),
  ],
}

function describe({ data, total: all, deferred, dead }: Statistics, style: Style): string {
  if (data.length === 0) return "Nothing has been counted in this time."
  const rows = table(
    style,
    [...data, { ...all, started_at: null }],
    [
      timeColumn("START", ({ started_at }) => started_at, "total"),
      { title: "DELIVERIES", cell: (point) => String(point.deliveries), align: "right" },
      { title: "DELIVERED", cell: (point) => String(point.attempts.delivered), align: "right" },
      {
        title: "P50",
        cell: ({ latency_ms: latency }) => (latency ? duration(latency.p50) : ""),
        align: "right",
      },
      {
        title: "P99",
        cell: ({ latency_ms: latency }) => (latency ? duration(latency.p99) : ""),
        align: "right",
      },
      { title: "TRIGGERS", cell: (point) => String(point.triggers?.accepted ?? ""), align: "right" },
      { title: "COVERED", cell: (point) => String(point.triggers?.covered ?? ""), align: "right" },
      { title: "SYNCS", cell: (point) => (point.syncs ? String(total(point.syncs)) : ""), align: "right" },
      { title: "FAILED SYNCS", cell: (point) => String(point.syncs?.failed ?? ""), align: "right" },
      { title: "FAILED ATTEMPTS", cell: failedAttempts, paint: (text) => style.paint("red", text) },
    ],
  )
  const waiting = deferred ? nonZero(deferred.by_reason) : ""
  const died = (dead?.channels ?? []).map(({ channel, count }) => `${channel} ${deadCount(count)}`)
  return [
    rows,
    waiting && `deferred now: ${waiting}`,
    died.length > 0 && `dead of the last 7 days: ${died.join(", ")}`,
  ]
    .filter(Boolean)
    .join("\n\n")
}

function failedAttempts({ attempts: { delivered: _, ...failed } }: Pick<StatisticPoint, "attempts">): string {
  return nonZero(failed)
}

function nonZero(counts: Record<string, number>): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ")
}

function total(counts: Record<string, number>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}
