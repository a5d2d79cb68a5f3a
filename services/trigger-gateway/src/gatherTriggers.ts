import type { Trigger } from "./mergeTriggers.ts"
import type { Address } from "./readAddress.ts"

export type Taken =
  | { status: "accepted"; correlation: string }
  | { status: "not found" }
  | { status: "unavailable"; why: "away" | "crowded" | "late" | "failed" }

export type Arrived = Trigger & { token: string }

export type GatherSettings = {
  /** Takes a batch; the results stand in its order. Those of a batch that is late are no longer of interest. */
  takeBatch: (batch: Arrived[], isLate: () => boolean) => Promise<Taken[]>
  /** True while Postgres or Kafka is known to be away: then nobody is made to wait for them. */
  isAway: () => boolean
  /** How long the first of a batch waits for others, in milliseconds. */
  lingerMs: number
  /** A batch that has grown so large takes no more. */
  maxBatch: number
  /** Batches under way at the same time; further triggers gather meanwhile. */
  maxRunning: number
  /** Triggers in all batches; more are turned away at once. */
  maxWaiting: number
  /** The longest that a trigger is kept waiting. */
  deadlineMs: number
}

type Batch = {
  arrived: Arrived[]
  answers: ((taken: Taken) => void)[]
  due: boolean
  late: boolean
  timers: NodeJS.Timeout[]
}

/**
 * Gathers the triggers of a few milliseconds into batches: one statement and one request do for many callers what each
 * would have done alone. Each caller is answered exactly once, and within `deadlineMs`, whatever becomes of the batch;
 * a trigger that is "unavailable" may have been published all the same, which costs a sync at most.
 *
 * Callbacks and not promises, and timers for a batch and not for each trigger: with tens of thousands a second those
 * cost more than the work itself.
 */
export function gatherTriggers(settings: GatherSettings) {
  const { takeBatch, isAway, lingerMs, maxBatch, maxRunning, maxWaiting, deadlineMs } = settings
  /** Batches that have not begun, the oldest first. Only the newest may have room left. */
  const gathering: Batch[] = []
  let running = 0
  let waiting = 0

  function take(address: Address, answer: (taken: Taken) => void): void {
    if (isAway() || waiting >= maxWaiting) {
      answer({ status: "unavailable", why: isAway() ? "away" : "crowded" })
      return
    }
    waiting += 1
    const newest = gathering.at(-1)
    const batch = newest && newest.arrived.length < maxBatch ? newest : openBatch()
    batch.arrived.push({ connection: address.connection, token: address.token, at: Date.now() })
    batch.answers.push(answer)
    if (batch.arrived.length === maxBatch) begin()
  }

  function openBatch(): Batch {
    const batch: Batch = { arrived: [], answers: [], due: false, late: false, timers: [] }
    batch.timers = [
      setTimeout(() => {
        batch.due = true
        begin()
      }, lingerMs),
      setTimeout(() => giveUp(batch), deadlineMs),
    ]
    gathering.push(batch)
    return batch
  }

  function begin(): void {
    for (let next = gathering[0]; next && running < maxRunning; next = gathering[0]) {
      if (!next.due && next.arrived.length < maxBatch) return
      gathering.shift()
      void run(next)
    }
  }

  async function run(batch: Batch): Promise<void> {
    running += 1
    // Whoever takes the batch has said why it failed, once for all its callers.
    const taken = await takeBatch(batch.arrived, () => batch.late).catch(() => null)
    running -= 1
    // Not when it was answered: what is late is held in memory until its batch is done.
    waiting -= batch.arrived.length
    settle(batch, (at) => taken?.[at] ?? { status: "unavailable", why: "failed" })
    begin()
  }

  function giveUp(batch: Batch): void {
    const place = gathering.indexOf(batch)
    if (place >= 0) {
      gathering.splice(place, 1)
      waiting -= batch.arrived.length
    }
    settle(batch, () => ({ status: "unavailable", why: "late" }))
    batch.late = true
  }

  function settle(batch: Batch, takenOf: (at: number) => Taken): void {
    if (batch.late) return
    for (const timer of batch.timers) clearTimeout(timer)
    batch.answers.forEach((answer, at) => {
      answer(takenOf(at))
    })
  }

  return { take, waiting: () => waiting }
}
