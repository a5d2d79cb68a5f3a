import { type BatchBounds, batchItems, type Traceparent } from "@sitewire/runtime"
import type { TriggerUrl } from "./parseTriggerUrl.ts"

export type TriggerOutcome =
  | { status: "accepted"; correlation: string }
  | { status: "not found" }
  | { status: "unavailable"; why: "dependency" | "overload" | "deadline" | "failed" }

const failed: TriggerOutcome = { status: "unavailable", why: "failed" }
const late: TriggerOutcome = { status: "unavailable", why: "deadline" }

/** Called if the trigger's token is valid, before the response. Returns null if the trace is not recorded. */
export type StartSpan = () => Traceparent | null

/** `at`: in milliseconds since the epoch. */
export type ReceivedTrigger = TriggerUrl & { at: number; startSpan: StartSpan }

type WaitingTrigger = ReceivedTrigger & {
  respond: (outcome: TriggerOutcome) => void
  responded: boolean
  settled: boolean
}

export type BatchRun = {
  settle: (index: number, outcome: TriggerOutcome) => void
  /** The deadline is over: all callers have their responses. */
  isLate: () => boolean
  release: () => void
}

export type BatchTriggersSettings = BatchBounds & {
  /** Must settle each trigger. Those that are not settled when the promise ends count as failed. */
  processBatch: (batch: ReceivedTrigger[], run: BatchRun) => Promise<void>
  isUnavailable: () => boolean
  maxWaiting: number
  deadlineMs: number
}

/**
 * Each caller gets exactly one response, within `deadlineMs`. A trigger with the outcome "unavailable" may have been published all the
 * same. Responses are callbacks, because promises would cost more CPU time than the work itself.
 */
export function batchTriggers(settings: BatchTriggersSettings) {
  const { processBatch, isUnavailable, maxWaiting, deadlineMs } = settings
  let waiting = 0

  const add = batchItems<WaitingTrigger>({ ...settings, run, deadline: { ms: deadlineMs, onLate } })

  function handle(
    { connection, token }: TriggerUrl,
    startSpan: StartSpan,
    respond: (outcome: TriggerOutcome) => void,
  ): void {
    if (isUnavailable() || waiting >= maxWaiting) {
      respond({ status: "unavailable", why: isUnavailable() ? "dependency" : "overload" })
      return
    }
    waiting += 1
    add({ connection, token, at: Date.now(), startSpan, respond, responded: false, settled: false })
  }

  function respondOnce(trigger: WaitingTrigger, outcome: TriggerOutcome): void {
    if (trigger.responded) return
    trigger.responded = true
    trigger.respond(outcome)
  }

  /** A late trigger has had its response already. It counts as waiting until its batch settles it. */
  function settle(trigger: WaitingTrigger, outcome: TriggerOutcome): void {
    if (trigger.settled) return
    trigger.settled = true
    waiting -= 1
    respondOnce(trigger, outcome)
  }

  async function run(batch: WaitingTrigger[], isLate: () => boolean, release: () => void): Promise<void> {
    const settleAt = (index: number, outcome: TriggerOutcome) => {
      const trigger = batch[index]
      if (trigger) settle(trigger, outcome)
    }
    // Only Postgres's failures reject this promise, and `watchDependency` has reported them already.
    await processBatch(batch, { settle: settleAt, isLate, release }).catch(() => {})
    for (const trigger of batch) settle(trigger, failed)
  }

  function onLate(batch: WaitingTrigger[], begun: boolean): void {
    for (const trigger of batch) {
      if (begun) respondOnce(trigger, late)
      else settle(trigger, late)
    }
  }

  return { handle, waiting: () => waiting }
}
