import type { DeliveryDue } from "@sitewire/contracts"
import { type Traceparent, traceHeaders } from "@sitewire/runtime"
import type { Publish } from "../createPublish.ts"
import type { DueDelivery } from "../delivery.ts"

/** `attempt`: the context of the failed attempt, to which the retry links. */
export type ScheduleRetry = (failed: DueDelivery, step: number, attempt: Traceparent | null) => Promise<void>

/**
 * Publishes the next attempt to the retry topic of the step. If the broker rejects the record for good, the
 * sweep later finds that the delivery is overdue, because its row contains when the attempt is due.
 */
export function createScheduleRetry(publish: Publish, retryTopics: readonly string[]): ScheduleRetry {
  return async ({ id, attempt, failures, since, correlation }, step, failed) => {
    const topic = retryTopics[step]
    if (topic === undefined) throw new Error(`there is no retry topic for step ${step}`)
    const next: DeliveryDue = {
      delivery: id,
      attempt: attempt + 1,
      failures: failures + 1,
      since,
      correlation,
    }
    await publish({ topic, key: id, value: JSON.stringify(next), ...traceHeaders(failed) })
  }
}
