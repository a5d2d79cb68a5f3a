import { type BatchBounds, gatherBatches } from "@sitewire/runtime"
import type { Trigger } from "./mergeTriggers.ts"
import type { Address } from "./readAddress.ts"

export type Taken =
  | { status: "accepted"; correlation: string }
  | { status: "not found" }
  | { status: "unavailable"; why: "away" | "crowded" | "late" | "failed" }

export type Arrived = Trigger & { token: string }

type Waiting = Arrived & { answer: (taken: Taken) => void }

export type GatherSettings = BatchBounds & {
  /** Takes a batch; the results stand in its order. Those of a batch that is late are no longer of interest. */
  takeBatch: (batch: Arrived[], isLate: () => boolean) => Promise<Taken[]>
  /** True while Postgres or Kafka is known to be away: then nobody is made to wait for them. */
  isAway: () => boolean
  /** Triggers in all batches; more are turned away at once. */
  maxWaiting: number
  /** The longest that a trigger is kept waiting. */
  deadlineMs: number
}

/**
 * Gathers the triggers of a few milliseconds into batches. Each caller is answered exactly once, and within
 * `deadlineMs`, whatever becomes of its batch; a trigger that is "unavailable" may have been published all the same,
 * which costs a sync at most. Callers are called back, as with tens of thousands a second promises cost more than the
 * work itself.
 */
export function gatherTriggers(settings: GatherSettings) {
  const { takeBatch, isAway, maxWaiting, deadlineMs } = settings
  let waiting = 0

  const add = gatherBatches<Waiting>({ ...settings, run, deadline: { ms: deadlineMs, onLate } })

  function take({ connection, token }: Address, answer: (taken: Taken) => void): void {
    if (isAway() || waiting >= maxWaiting) {
      answer({ status: "unavailable", why: isAway() ? "away" : "crowded" })
      return
    }
    waiting += 1
    add({ connection, token, at: Date.now(), answer })
  }

  async function run(batch: Waiting[], isLate: () => boolean): Promise<void> {
    // Whoever takes the batch has said why it failed, once for all its callers.
    const taken = await takeBatch(batch, isLate).catch(() => null)
    // Not when it was answered: what is late is held in memory until its batch is done.
    waiting -= batch.length
    if (isLate()) return
    batch.forEach(({ answer }, at) => {
      answer(taken?.[at] ?? { status: "unavailable", why: "failed" })
    })
  }

  function onLate(batch: Waiting[], begun: boolean): void {
    if (!begun) waiting -= batch.length
    for (const { answer } of batch) answer({ status: "unavailable", why: "late" })
  }

  return { take, waiting: () => waiting }
}
