import type { Schemas } from "../../api/client.ts"
import { formatCounted, formatNumber, formatUtc } from "../../format.ts"
import { texts } from "../../texts.ts"

const t = texts.tellPartner
const excerptLength = 300

type Health = Schemas["ChannelHealth"]

/** How many deliveries wait for another attempt. */
export const waitingOf = ({ scheduled, deferred }: Health): number =>
  deferred.reduce((sum, { count }) => sum + count, scheduled.count)

export const errorOf = ({ status, error }: NonNullable<Health["last_failure"]>): string =>
  status === null ? texts.errors[error] : `HTTP ${status}`

/**
 * What an operator tells a partner whose endpoint fails: since when, the error, an example, what waits and what is dead, and what to
 * do. Times are in UTC, because the reader is elsewhere. `example`: the delivery of the last failure, or null if it is unknown.
 */
export function describeFailure({
  channel,
  health,
  example,
}: {
  channel: Pick<Schemas["Channel"], "id" | "address">
  health: Health
  example: Pick<Schemas["DeliveryWithAttempts"], "id" | "body" | "attempt_log"> | null
}): string {
  const { last_failure: failure, last_success: success, dead } = health
  const waiting = waitingOf(health)
  const failed = example?.attempt_log.findLast(({ error }) => error !== null)
  const response = failed?.response_excerpt?.trim().slice(0, excerptLength)
  const reference = example?.body?.reference
  const lines = [
    t.greeting(channel.id),
    "",
    t.address(channel.address),
    success ? t.since(formatUtc(new Date(success.at))) : t.never,
    failure && t.failure(formatUtc(new Date(failure.at)), errorOf(failure), failure.detail),
    response && t.response(response),
    example && t.example(example.id, typeof reference === "string" ? reference : null),
    waiting > 0 && t.waiting(formatNumber(waiting), waiting === 1),
    dead.count > 0 && t.dead(formatCounted(dead.count), dead.count === 1),
    "",
    t.whatToDo,
  ]
  return lines.filter((line) => typeof line === "string").join("\n")
}
