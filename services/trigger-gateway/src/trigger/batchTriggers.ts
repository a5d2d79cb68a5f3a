import { type BatchBounds, batchItems } from "@sitewire/runtime"
import type { Trigger } from "./mergeTriggers.ts"
import type { Address } from "./parseTriggerUrl.ts"

export type Taken =
  | { status: "accepted"; correlation: string }
  | { status: "not found" }
  | { status: "unavailable"; why: "away" | "crowded" | "late" | "failed" }

const failed: Taken = { status: "unavailable", why: "failed" }
const late: Taken = { status: "unavailable", why: "late" }

export type Arrived = Trigger & { token: string }

type Waiting = Arrived & { answer: (taken: Taken) => void; answered: boolean; settled: boolean }

/** What a batch is processed with. `answer` gives the outcome of the trigger at this place, as soon as it is known. */
export type BatchRun = {
  answer: (at: number, taken: Taken) => void
  /** Nobody waits for the batch any longer. */
  isLate: () => boolean
  /** Lets another batch begin while the rest of this one waits. */
  release: () => void
}

export type BatchCallsSettings = BatchBounds & {
  /** Triggers without an outcome when it settles have failed. */
  takeBatch: (batch: Arrived[], run: BatchRun) => Promise<void>
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
export function gatherTriggers(settings: BatchCallsSettings) {
  const { takeBatch, isAway, maxWaiting, deadlineMs } = settings
  let waiting = 0

  const add = batchItems<Waiting>({ ...settings, run, deadline: { ms: deadlineMs, onLate } })

  function take({ connection, token }: Address, answer: (taken: Taken) => void): void {
    if (isAway() || waiting >= maxWaiting) {
      answer({ status: "unavailable", why: isAway() ? "away" : "crowded" })
      return
    }
    waiting += 1
    add({ connection, token, at: Date.now(), answer, answered: false, settled: false })
  }

  function answerOnce(trigger: Waiting, taken: Taken): void {
    if (trigger.answered) return
    trigger.answered = true
    trigger.answer(taken)
  }

  /** What is late is answered before it is settled, and is in memory until then. */
  function settle(trigger: Waiting, taken: Taken): void {
    if (trigger.settled) return
    trigger.settled = true
    waiting -= 1
    answerOnce(trigger, taken)
  }

  async function run(batch: Waiting[], isLate: () => boolean, release: () => void): Promise<void> {
    const answer = (at: number, taken: Taken) => {
      const trigger = batch[at]
      if (trigger) settle(trigger, taken)
    }
    // Whoever processes the batch has reported why it failed, once for all its callers.
    await takeBatch(batch, { answer, isLate, release }).catch(() => {})
    for (const trigger of batch) settle(trigger, failed)
  }

  function onLate(batch: Waiting[], begun: boolean): void {
    for (const trigger of batch) {
      if (begun) answerOnce(trigger, late)
      else settle(trigger, late)
    }
  }

  return { take, waiting: () => waiting }
}
