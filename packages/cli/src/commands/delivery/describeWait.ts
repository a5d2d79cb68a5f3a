import { type Delivery, deferralReasons } from "@sitewire/contracts"
import type { Client } from "../../api/client.ts"
import { orNull } from "../../api/readPages.ts"

/**
 * An attempt takes less time than this. If a delivery was due longer ago, its attempt is therefore not in
 * progress but overdue.
 */
const overdueMs = 15_000

type Waiting = Pick<Delivery, "state" | "next_attempt_at" | "deferred_at" | "waiting_for">

type WaitContext = {
  pausedAt: string | null
  now: Date
  formatTime: (iso: string) => string
}

/** What the delivery's next attempt waits for. Null: no attempt is planned. */
export function describeWait(delivery: Waiting, { pausedAt, now, formatTime }: WaitContext): string | null {
  const { state, next_attempt_at, deferred_at, waiting_for } = delivery
  const paused = pausedAt === null ? null : `channel paused since ${formatTime(pausedAt)}`
  if (deferred_at !== null) {
    if (paused !== null) return `deferred: ${paused}`
    const why =
      waiting_for === null || waiting_for === "retry" || waiting_for === "paused"
        ? "its channel was paused and is resuming"
        : deferralReasons[waiting_for]
    return `deferred: ${why} (since ${formatTime(deferred_at)})`
  }
  if (next_attempt_at === null) return state === "pending" ? (paused ?? "first attempt") : null
  const lateMs = now.getTime() - Date.parse(next_attempt_at)
  if (lateMs < overdueMs) return formatTime(next_attempt_at)
  // A paused channel makes no attempts, so none of its deliveries is overdue.
  return paused ?? `overdue since ${formatTime(next_attempt_at)}`
}

/** Since when the channel is paused; null if it is not, was deleted, or the key may not read channels. */
export async function readPause(client: Client, channel: string): Promise<string | null> {
  return (await orNull(client.readChannel({ id: channel }), [403, 404]))?.paused_at ?? null
}

/** Those of the channels of which a delivery waits. */
export async function readPauses(
  client: Client,
  deliveries: Delivery[],
): Promise<Map<string, string | null>> {
  const waiting = deliveries.filter(
    ({ state, next_attempt_at, deferred_at }) => state === "pending" || next_attempt_at || deferred_at,
  )
  const pauses = new Map<string, string | null>()
  for (const id of new Set(waiting.map(({ channel }) => channel))) {
    pauses.set(id, await readPause(client, id))
  }
  return pauses
}

/** The outcome of the last failed attempt, such as `timeout` or `503`. Empty: no attempt has failed. */
export function lastError({ last_error, last_status }: Pick<Delivery, "last_error" | "last_status">): string {
  if (last_error === "status" && last_status !== null) return String(last_status)
  return last_error ?? ""
}
