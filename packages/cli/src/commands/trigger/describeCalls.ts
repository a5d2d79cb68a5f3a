import type { Style } from "../../output/style.ts"
import { table } from "../../output/table.ts"
import { duration } from "../../output/time.ts"
import type { TriggerCall } from "./callTrigger.ts"

const maxRows = 20

export function describeCalls(calls: TriggerCall[], style: Style): string {
  const rows = table(style, calls.slice(0, maxRows), [
    { title: "#", cell: (call) => String(call.number), align: "right" },
    {
      title: "STATUS",
      cell: statusText,
      paint: (text, { status }) => style.paint(status === 202 ? "green" : "red", text),
    },
    { title: "DURATION", cell: (call) => duration(call.ms), align: "right" },
    { title: "MEANING", cell: meaning },
  ])
  if (calls.length === 1) return rows
  const rest = calls.length > maxRows ? `\n… and ${calls.length - maxRows} more` : ""
  const statuses = calls.map(statusText).toSorted()
  const counts = [...new Set(statuses)].map(
    (text) => `${statuses.filter((status) => status === text).length} × ${text}`,
  )
  const sorted = calls.map(({ ms }) => ms).toSorted((a, b) => a - b)
  const quantile = (q: number) => duration(sorted[Math.floor((sorted.length - 1) * q)] ?? 0)
  const durations = `min ${quantile(0)}, median ${quantile(0.5)}, max ${quantile(1)}`
  return `${rows}${rest}\n\n${counts.join(", ")}; durations: ${durations}`
}

function statusText({ status }: TriggerCall): string {
  return status === null ? "no response" : String(status)
}

function meaning({ status, error, retry_after }: TriggerCall): string {
  if (status === 202) return "accepted: a sync will cover it"
  if (status === 404) return "unknown trigger URL: its token was replaced, or the connection does not exist"
  if (status === 503) return `not accepted: call again${retry_after ? ` after ${retry_after} s` : ""}`
  return error ?? ""
}
