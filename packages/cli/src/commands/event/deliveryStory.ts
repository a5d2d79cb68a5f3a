import type { Attempt, Delivery, DeliveryWithAttempts } from "@sitewire/contracts"
import { block } from "../../output/block.ts"
import type { Style } from "../../output/style.ts"
import { table, timeColumn } from "../../output/table.ts"
import { duration } from "../../output/time.ts"
import { outcomeOf } from "../delivery/deliveryBlock.ts"
import { describeWait } from "../delivery/describeWait.ts"

type Step = { at: string | null; what: string }

/** A delivery as its event's way from the topic to the partner. Without `attempt_log`, the attempts are unknown. */
export function deliveryStory(
  delivery: Delivery & Partial<DeliveryWithAttempts>,
  pausedAt: string | null,
  style: Style,
): string {
  const { attempt_log: attempts = [], body, created_at } = delivery
  const after = (at: string) => duration(Math.max(0, Date.parse(at) - Date.parse(created_at)))
  const arrived = arrivalOf(delivery, attempts)
  const facts = block(style, [
    ["event", delivery.event_id],
    ["channel", delivery.channel],
    ["reference", body ? String(body.reference) : null],
    ["delivery", delivery.id],
    ["state", delivery.state],
    ["published", style.time(created_at)],
    ["arrived", arrived === null ? "no" : `${style.time(arrived)}, ${after(arrived)} after it was published`],
    ["next attempt", describeWait(delivery, { pausedAt, now: style.now, formatTime: style.time })],
  ])
  const steps = stepsOf(delivery, attempts).flatMap(({ at, what }) => (at === null ? [] : [{ at, what }]))
  const story = table(
    style,
    steps.sort((one, other) => Date.parse(one.at) - Date.parse(other.at)),
    [
      timeColumn("TIME", ({ at }) => at),
      { title: "AFTER", cell: ({ at }) => after(at), align: "right" },
      { title: "STEP", cell: ({ what }) => what },
    ],
  )
  const all = `sitewire delivery attempts ${delivery.id} --all`
  return `${facts}\n\n${story}${delivery.attempt_log_cursor ? `\n\nEarlier attempts: ${all}` : ""}`
}

/** When the partner accepted it. Null: it has not, as far as the newest attempts and the state say. */
function arrivalOf({ state, finished_at }: Delivery, attempts: readonly Attempt[]): string | null {
  const accepted = attempts.find(({ error }) => error === null)
  if (!accepted) return state === "delivered" ? finished_at : null
  return new Date(Date.parse(accepted.started_at) + accepted.duration_ms).toISOString()
}

function stepsOf(delivery: Delivery & Partial<DeliveryWithAttempts>, attempts: readonly Attempt[]): Step[] {
  const { last_job: job, state, dead_reason, waiting_for } = delivery
  const died = dead_reason === null ? "the retry period was over" : "its channel was deleted"
  return [
    { at: delivery.created_at, what: "appended to site.paid" },
    ...attempts.map(describeAttempt),
    {
      at: job?.requested_at ?? null,
      what: `${job?.kind} requested by ${job?.requested_by ?? "an operator"}`,
    },
    { at: delivery.deferred_at, what: `deferred: ${waiting_for}` },
    { at: delivery.finished_at, what: state === "dead" ? `dead: ${died}` : state },
  ]
}

function describeAttempt(attempt: Attempt): Step {
  const { number, started_at: at, duration_ms, error, detail, response_excerpt } = attempt
  const why = error === null ? null : (detail ?? response_excerpt)
  const what = `attempt ${number}: ${outcomeOf(attempt)} in ${duration(duration_ms)}`
  return { at, what: why === null ? what : `${what}: ${why}` }
}
