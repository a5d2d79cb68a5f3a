import type { DeliveryWithAttempts } from "@sitewire/contracts"
import { block } from "../../output/block.ts"
import type { Style } from "../../output/style.ts"
import { attemptTable } from "./attemptTable.ts"
import { describeWait } from "./describeWait.ts"
import { lastError } from "./lastError.ts"

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
