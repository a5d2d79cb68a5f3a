import type { Attempt, Delivery, DeliveryWithAttempts } from "@sitewire/contracts"
import { block } from "../../output/block.ts"
import type { Style } from "../../output/style.ts"
import { table, timeColumn } from "../../output/table.ts"
import { duration, relativeTime } from "../../output/time.ts"
import { describeWait, lastError } from "./describeWait.ts"
import { shortIds } from "./shortId.ts"

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

const noAttempt = {
  pending: "No attempt has been made yet.",
  dead: "No attempt was made: its channel's circuit breaker was open until the retry period ended.",
  delivered: "No attempt is stored.",
  cancelled: "No attempt was made.",
  erased: "No attempt was made.",
}

export function deliveryBlock(delivery: DeliveryWithAttempts, pausedAt: string | null, style: Style): string {
  const { finished_at, last_job: job } = delivery
  const last = delivery.attempt_log.at(-1)
  const facts = block(style, [
    ["delivery", delivery.id],
    ["event", delivery.event_id],
    ["channel", delivery.channel],
    ["state", delivery.dead_reason === null ? delivery.state : `${delivery.state}: its channel was deleted`],
    ["attempts", String(delivery.attempts)],
    ["last error", lastError(delivery) || null],
    ["next attempt", describeWait(delivery, { pausedAt, now: style.now, formatTime: style.time })],
    ["created", style.time(delivery.created_at)],
    [
      "last job",
      job &&
        `${job.kind} ${job.id}, ${style.time(job.requested_at)}, by ${job.requested_by ?? "an operator"}`,
    ],
    ["finished", finished_at && style.time(finished_at)],
    ["body", delivery.body && JSON.stringify(delivery.body)],
    ["sent to", last?.url ?? null],
  ])
  const headers = last?.request_headers
    ? `\n\n${style.paint("dim", `Headers of attempt ${last.number}:`)}\n${block(style, Object.entries(last.request_headers))}`
    : ""
  if (last === undefined) {
    const why = delivery.dead_reason === null ? noAttempt[delivery.state] : "No attempt was made."
    return `${facts}\n\n${why}`
  }
  return `${facts}\n\n${attemptTable(style, delivery.attempt_log)}${headers}`
}

/** `pauses`: since when channels are paused. */
export function deliveryTable(
  data: Delivery[],
  pauses: ReadonlyMap<string, string | null>,
  style: Style,
): string {
  const { now, state: paint } = style
  const short = shortIds(data.map(({ id }) => id))
  const nextAttempt = (delivery: Delivery) =>
    describeWait(delivery, {
      pausedAt: pauses.get(delivery.channel) ?? null,
      now,
      formatTime: (iso) => relativeTime(iso, now),
    }) ?? ""
  return table(style, data, [
    { title: "ID", cell: ({ id }) => id, short: ({ id }) => short.get(id) ?? id, whole: true },
    { title: "CHANNEL", cell: (delivery) => delivery.channel },
    { title: "STATE", cell: (delivery) => delivery.state, paint },
    { title: "ATTEMPTS", cell: (delivery) => String(delivery.attempts), align: "right" },
    { title: "LAST ERROR", cell: lastError },
    {
      title: "NEXT ATTEMPT",
      cell: nextAttempt,
      short: (one) => (one.waiting_for === "retry" ? nextAttempt(one) : (one.waiting_for ?? "")),
    },
    timeColumn("CREATED", (delivery) => delivery.created_at),
    { title: "EVENT", cell: (delivery) => delivery.event_id },
  ])
}
