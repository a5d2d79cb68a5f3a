import type { ChannelHealth } from "../api/channelHealth.ts"
import type { AttemptError, DeliveryWithAttempts } from "../api/deliveries.ts"

// What partners are told of their channels, by the web console and by e-mail. The web console bundles this file, so
// it imports types only.

export const attemptErrorTexts: Record<AttemptError, string> = {
  timeout: "It did not respond in time.",
  dns: "Its host name could not be resolved.",
  connect: "The connection was not accepted.",
  tls: "The TLS handshake failed.",
  reset: "It closed the connection before it responded.",
  status: "It responded with an error.",
  "blocked-address": "Its address is in a private network, which is blocked.",
  protocol: "Its response was not valid HTTP.",
}

/** While a circuit breaker is open. The waits are those of BREAKER_COOLDOWN's default. */
export const openBreakerText =
  "Single attempts check whether the receiver works again. By default, the wait between two of them grows from 30 seconds to 5 minutes."

const excerptLength = 300
const hourMs = 3_600_000
const number = new Intl.NumberFormat("en")

export const countText = (count: number) => number.format(count)

type Health = Pick<
  ChannelHealth,
  "health" | "last_failure" | "last_success" | "dead" | "scheduled" | "deferred" | "retry_period_ms"
>
type Endpoint = { id: string; address: string }

export const deliveriesOf = (count: string, one: boolean) =>
  one ? `${count} delivery` : `${count} deliveries`

/** Dead deliveries are counted up to this. */
export const mostDeadCounted = 10_000

/** A channel's health counts its deferred deliveries up to this, and its scheduled ones. */
export const mostWaitingCounted = 100_000

/** `more`: there may be more than the count. */
export type Counted = { count: number; more: boolean }

const counted = (count: number): Counted => ({ count, more: count >= mostWaitingCounted })

export const scheduledOf = ({ scheduled }: Pick<Health, "scheduled">): Counted => counted(scheduled.count)

export const deferredOf = ({ deferred }: Pick<Health, "deferred">): Counted =>
  counted(deferred.reduce((sum, { count }) => sum + count, 0))

/** How many deliveries wait for another attempt. */
export function waitingOf(health: Pick<Health, "scheduled" | "deferred">): Counted {
  const [scheduled, deferred] = [scheduledOf(health), deferredOf(health)]
  return { count: scheduled.count + deferred.count, more: scheduled.more || deferred.more }
}

export const errorOf = ({ status, error }: Pick<Failure, "status" | "error">): string =>
  status === null ? attemptErrorTexts[error] : `HTTP ${status}`

type Failure = Pick<NonNullable<Health["last_failure"]>, "status" | "error" | "detail">

/** Why an attempt failed, as the web console, e-mails and notifications state it. The detail of a failure without a response is a sentence. */
export function failureText({ status, error, detail }: Failure): string {
  const more = detail && withoutControls(detail)
  if (status === null)
    return more ? more.replace(/^[a-z](?=[a-z]* )/, (first) => first.toUpperCase()) : attemptErrorTexts[error]
  return more ? `HTTP ${status} (${more})` : `HTTP ${status}`
}

/**
 * What a partner is told whose endpoint fails: since when, the error, an example, what waits and what is dead, and what to
 * do. Times are in UTC, because the reader is elsewhere. `example`: the delivery of the last failure, or null if it is unknown.
 */
export function describeFailure({
  channel,
  health,
  example,
}: {
  channel: Endpoint
  health: Health
  example: Pick<DeliveryWithAttempts, "id" | "body" | "attempt_log"> | null
}): string {
  const { last_failure: failure, last_success: success, dead } = health
  const { count: waiting, more } = waitingOf(health)
  const failed = example?.attempt_log.findLast(({ error }) => error !== null)
  const response = withoutControls(failed?.response_excerpt ?? "")
    .trim()
    .slice(0, excerptLength)
  const reference = example?.body?.reference
  const lines = [
    health.health === "failing"
      ? `Your endpoint for the channel ${channel.id} does not accept our deliveries.`
      : `Your endpoint for the channel ${channel.id} has not accepted all of our deliveries.`,
    "",
    `Endpoint: ${channel.address}`,
    `Last accepted: ${success ? utc(success.at) : "none of the last 7 days"}`,
    failure && `Last failure: ${utc(failure.at)}: ${failureText(failure)}`,
    response && `Your response: ${response}`,
    example &&
      `An example: X-Sitewire-Delivery ${example.id}${typeof reference === "string" ? `, reference ${reference}` : ""}`,
    waiting > 0 &&
      `${deliveriesOf(`${number.format(waiting)}${more ? "+" : ""}`, waiting === 1)} ${waiting === 1 ? "waits" : "wait"} for another attempt, which follows by itself.`,
    `A delivery that you do not accept within ${spanOf(health.retry_period_ms)} is dead: it is not sent again by itself.`,
    dead.count > 0 && `${describeDead(dead)} When your endpoint works, ${describeResend(dead)}`,
    "",
    "Please let your endpoint respond with a 2xx status within 10 seconds, also to a delivery that it has had before.",
  ]
  return lines.filter((line) => typeof line === "string").join("\n")
}

/** What a partner is told once whose endpoint works again. */
export function describeRecovery(channel: Endpoint, { last_success: success, dead }: Health): string {
  const lines = [
    `Your endpoint for the channel ${channel.id} accepts our deliveries again.`,
    "",
    `Endpoint: ${channel.address}`,
    success && `Last accepted: ${utc(success.at)}`,
    dead.count > 0 && `${describeDead(dead)} Now that your endpoint works, ${describeResend(dead)}`,
  ]
  return lines.filter((line) => typeof line === "string").join("\n")
}

function describeDead({ count }: Health["dead"]): string {
  const one = count === 1
  const counted = `${number.format(count)}${count < mostDeadCounted ? "" : "+"}`
  return `${deliveriesOf(counted, one)} ${one ? "is" : "are"} dead: ${one ? "it is" : "they are"} not sent again by ${one ? "itself" : "themselves"}.`
}

const describeResend = ({ count }: Health["dead"]) => `resend ${count === 1 ? "it" : "them"}, or tell us.`

const utc = (time: string) => `${time.replace("T", " ").replace(/\.\d+Z$/, "")} UTC`

function spanOf(ms: number): string {
  const [unit, count] =
    ms < hourMs ? ["minute", Math.ceil(ms / 60_000)] : ["hour", Number((ms / hourMs).toFixed(1))]
  return `${count} ${unit}${count === 1 ? "" : "s"}`
}

/** A partner's response may contain what a terminal or a mail program executes. */
const withoutControls = (text: string) => text.replace(/[^\P{Cc}\n\t]/gu, "")
