import type { DeliveryWithAttempts } from "@sitewire/contracts"
import { deliveryWithAttemptsSchema } from "@sitewire/contracts"
import type { CliCommand } from "../../command.ts"
import { block } from "../../output/block.ts"
import type { Style } from "../../output/style.ts"
import { table } from "../../output/table.ts"
import { duration, localTime } from "../../output/time.ts"
import { describeWait } from "./describeWait.ts"
import { lastError } from "./lastError.ts"
import { readPause } from "./readPause.ts"

const maxExcerptLength = 60
const noAttempt = {
  pending: "No attempt has been made yet.",
  dead: "No attempt was made: its channel's circuit breaker was open until the retry period ended.",
  delivered: "No attempt is stored.",
  cancelled: "No attempt was made.",
  erased: "No attempt was made.",
}

export const showDelivery: CliCommand = {
  name: "show",
  description: "show a delivery, its body with the e-mail address masked, and its attempts",
  arguments: [["<delivery>", "the delivery's id"]],
  examples: [
    "sitewire delivery show 0197a3c1-6d0e-7c3b-9a51-3f1f6c1d2e4b",
    "sitewire delivery show 0197a3c1-6d0e-7c3b-9a51-3f1f6c1d2e4b --json | jq '.attempt_log[-1]'",
  ],
  json: deliveryWithAttemptsSchema,
  async run({ callApi, print }, [id]: [string]) {
    const delivery = await callApi((client) => client.readDelivery(id))
    const pausedAt = await callApi((client) => readPause(client, delivery.channel))
    print(delivery, (shown, style) => describe(shown, pausedAt, style))
  },
}

function describe(delivery: DeliveryWithAttempts, pausedAt: string | null, style: Style): string {
  const { finished_at } = delivery
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
    ["finished", finished_at && style.time(finished_at)],
    // An erasure makes the hash empty.
    ["body sha256", delivery.body_sha256 || null],
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
  const attempts = table(style, delivery.attempt_log, [
    { title: "#", cell: (attempt) => String(attempt.number), align: "right" },
    { title: "STARTED", cell: (attempt) => localTime(attempt.started_at) },
    { title: "DURATION", cell: (attempt) => duration(attempt.duration_ms), align: "right" },
    { title: "PHASES", cell: phases },
    {
      title: "OUTCOME",
      cell: ({ status, error }) => (error === null ? `${status ?? ""} ok` : outcome(status, error)),
      paint: (text, attempt) => style.paint(attempt.error === null ? "green" : "red", text),
    },
    { title: "IP", cell: (attempt) => attempt.ip ?? "" },
    { title: "SECRET", cell: (attempt) => attempt.secret_id },
    {
      title: "RESPONSE",
      cell: ({ detail, response_excerpt }) => detail ?? shorten(response_excerpt ?? ""),
    },
  ])
  return `${facts}\n\n${attempts}${headers}`
}

type Attempt = DeliveryWithAttempts["attempt_log"][number]

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

function outcome(status: number | null, error: string): string {
  return status === null ? error : `${status} ${error === "status" ? "" : error}`.trim()
}

function shorten(text: string): string {
  return text.length <= maxExcerptLength ? text : `${text.slice(0, maxExcerptLength)}…`
}
