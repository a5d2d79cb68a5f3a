import type { DeliveryWithAttempts } from "@sitewire/contracts"
import type { Command } from "commander"
import { describeWait } from "../describeWait.ts"
import { examples } from "../examples.ts"
import { block } from "../printBlock.ts"
import { table } from "../printTable.ts"
import { length, localTime } from "../printTime.ts"
import type { Setup } from "../program.ts"
import type { Style } from "../style.ts"

const longestExcerpt = 60
const noAttempt = {
  pending: "No attempt has been made yet.",
  dead: "Given up without an attempt: its channel's breaker was open until the retry period was over.",
  delivered: "No attempt is kept.",
  erased: "No attempt was made.",
}

export function addDeliveryShow(parent: Command, { open }: Setup): void {
  parent
    .command("show")
    .description("one delivery with its attempts; the body holds personal data and is not shown")
    .argument("<delivery>", "the delivery's id")
    .addHelpText(
      "after",
      examples(
        "sitewire delivery show 0197a3c1-6d0e-7c3b-9a51-3f1f6c1d2e4b",
        "sitewire delivery show 0197a3c1-6d0e-7c3b-9a51-3f1f6c1d2e4b --json | jq '.attempt_log[-1]'",
      ),
    )
    .action(async (id: string, _options: object, command: Command) => {
      const { ask, show } = open(command)
      const delivery = await ask((client) => client.readDelivery(id))
      const { paused_at } = await ask((client) => client.readChannel(delivery.channel))
      show(delivery, (shown, style) => describe(shown, paused_at, style))
    })
}

function describe(delivery: DeliveryWithAttempts, pausedAt: string | null, style: Style): string {
  const { finished_at } = delivery
  const facts = block(style, [
    ["delivery", delivery.id],
    ["event", delivery.event_id],
    ["channel", delivery.channel],
    ["state", delivery.state],
    ["attempts", String(delivery.attempts)],
    ["next attempt", describeWait(delivery, { pausedAt, now: style.now, moment: style.moment })],
    ["created", style.moment(delivery.created_at)],
    ["finished", finished_at && style.moment(finished_at)],
    // An erasure empties it.
    ["body sha256", delivery.body_sha256 || null],
  ])
  if (delivery.attempt_log.length === 0) return `${facts}\n\n${noAttempt[delivery.state]}`
  const attempts = table(style, delivery.attempt_log, [
    { title: "#", cell: (attempt) => String(attempt.number), align: "right" },
    { title: "STARTED", cell: (attempt) => localTime(attempt.started_at) },
    { title: "TOOK", cell: (attempt) => length(attempt.duration_ms), align: "right" },
    { title: "OF WHICH", cell: parts },
    {
      title: "OUTCOME",
      cell: ({ status, error }) => (error === null ? `${status ?? ""} ok` : failure(status, error)),
      paint: (text, attempt) => style.paint(attempt.error === null ? "green" : "red", text),
    },
    { title: "CALLED", cell: (attempt) => attempt.ip ?? "" },
    { title: "SECRET", cell: (attempt) => attempt.secret_id },
    { title: "ANSWER", cell: ({ detail, response_excerpt }) => detail ?? shorten(response_excerpt ?? "") },
  ])
  return `${facts}\n\n${attempts}`
}

type Attempt = DeliveryWithAttempts["attempt_log"][number]

/** Where the time went: what a kept connection or an early failure spared is left out. */
function parts({ lookup_ms, connect_ms, tls_ms, first_byte_ms }: Attempt): string {
  const named = { lookup: lookup_ms, connect: connect_ms, tls: tls_ms, "first byte": first_byte_ms }
  return Object.entries(named)
    .flatMap(([name, ms]) => (ms === null ? [] : [`${name} ${length(ms)}`]))
    .join(", ")
}

function failure(status: number | null, error: string): string {
  return status === null ? error : `${status} ${error === "status" ? "" : error}`.trim()
}

function shorten(text: string): string {
  return text.length <= longestExcerpt ? text : `${text.slice(0, longestExcerpt)}…`
}
