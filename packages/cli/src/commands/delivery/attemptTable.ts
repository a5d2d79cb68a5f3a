import type { Attempt } from "@sitewire/contracts"
import type { Style } from "../../output/style.ts"
import { table, timeColumn } from "../../output/table.ts"
import { duration } from "../../output/time.ts"

const maxExcerptLength = 60

export function attemptTable(style: Style, attempts: Attempt[]): string {
  return table(style, attempts, [
    { title: "#", cell: (attempt) => String(attempt.number), align: "right" },
    timeColumn("STARTED", (attempt) => attempt.started_at),
    { title: "DURATION", cell: (attempt) => duration(attempt.duration_ms), align: "right" },
    {
      title: "OUTCOME",
      cell: outcomeOf,
      paint: (text, attempt) => style.paint(attempt.error === null ? "green" : "red", text),
    },
    {
      title: "RESPONSE",
      cell: ({ detail, response_excerpt }) => detail ?? shorten(response_excerpt ?? ""),
    },
    { title: "IP", cell: (attempt) => attempt.ip ?? "" },
    { title: "PHASES", cell: phases },
    { title: "SECRET", cell: (attempt) => attempt.secret_id },
  ])
}

/**
 * How long each phase of an attempt took. Phases are omitted if the attempt did not have them, because it
 * reused a connection or failed early.
 */
function phases({ lookup_ms, connect_ms, tls_ms, first_byte_ms }: Attempt): string {
  const named = { lookup: lookup_ms, connect: connect_ms, tls: tls_ms, "first byte": first_byte_ms }
  return Object.entries(named)
    .flatMap(([name, ms]) => (ms === null ? [] : [`${name} ${duration(ms)}`]))
    .join(", ")
}

/** `204 ok`, `503` or `timeout`. */
export function outcomeOf({ status, error }: Pick<Attempt, "status" | "error">): string {
  if (error === null) return `${status ?? ""} ok`
  return status === null ? error : `${status} ${error === "status" ? "" : error}`.trim()
}

function shorten(text: string): string {
  return text.length <= maxExcerptLength ? text : `${text.slice(0, maxExcerptLength)}…`
}
