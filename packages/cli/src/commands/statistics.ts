import type { StatisticPoint, Statistics } from "@sitewire/contracts"
import { deadCount, fields } from "@sitewire/contracts/views"
import { Option } from "commander"
import type { CommandGroup } from "../command.ts"
import { call } from "../derive/call.ts"
import { fieldTable } from "../derive/viewText.ts"
import type { Style } from "../output/style.ts"

const minutes: Record<string, number> = { minute: 1, hour: 60, day: 1_440 }

export const statistics: CommandGroup = {
  name: "statistics",
  description: "deliveries, attempts, triggers and syncs over time",
  commands: [
    call("statistics show", "readStatistics", {
      description: "show deliveries, attempts, latency, triggers and syncs per minute, hour or day",
      options: { merge: false },
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

const columns = fields<Omit<StatisticPoint, "started_at"> & { started_at: string | null }>(
  ["started_at", { label: "start", none: "total" }],
  "deliveries",
  ["delivered", { value: ({ attempts }) => attempts.delivered }],
  ["p50_ms", { value: ({ latency_ms }) => latency_ms?.p50 }],
  ["p99_ms", { value: ({ latency_ms }) => latency_ms?.p99 }],
  ["triggers", { value: ({ triggers }) => triggers?.accepted }],
  ["covered", { value: ({ triggers }) => triggers?.covered }],
  ["syncs", { value: ({ syncs }) => syncs && total(syncs) }],
  ["failed_syncs", { value: ({ syncs }) => syncs?.failed }],
  ["failed_attempts", { as: "bad", value: failedAttempts }],
)

function describe({ data, total: all, deferred, dead }: Statistics, style: Style): string {
  if (data.length === 0) return "Nothing has been counted in this time."
  const rows = fieldTable(columns, [...data, { ...all, started_at: null }], style)
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
