import type { RetryRecord } from "@sitewire/contracts"
import type { DueDelivery } from "@sitewire/deliveries"
import { type Traceparent, traceHeaders } from "@sitewire/runtime"
import type { Publish } from "../createPublish.ts"

/** `attempt`: the context of the failed attempt, to which the retry links. */
export type ScheduleRetry = (failed: DueDelivery, step: number, attempt: Traceparent | null) => void

/** While Kafka is unavailable, the poll finds what is due, so the records of more attempts than these seconds' need no memory. */
const giveUpAfterMs = 5_000

/**
 * Publishes a record to the retry topic of the step, which wakes the delivery when its next attempt is due. Nobody waits for it: a
 * delivery that no record wakes is found by the poll.
 */
export function createScheduleRetry(publish: Publish, retryTopics: readonly string[]): ScheduleRetry {
  return ({ id, attempt }, step, failed) => {
    const topic = retryTopics[step]
    if (topic === undefined) throw new Error(`there is no retry topic for step ${step}`)
    const next: RetryRecord = { delivery: id, attempt: attempt + 1 }
    const record = { topic, key: id, value: JSON.stringify(next), ...traceHeaders(failed) }
    publish(record, { giveUpAfterMs }).catch(() => {})
  }
}
