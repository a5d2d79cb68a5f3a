import type { RetryRecord } from "@sitewire/contracts"
import { type Traceparent, traceHeaders } from "@sitewire/runtime"
import type { Publish } from "../createPublish.ts"
import type { DueDelivery } from "../delivery.ts"

/** `attempt`: the context of the failed attempt, to which the retry links. */
export type ScheduleRetry = (failed: DueDelivery, step: number, attempt: Traceparent | null) => Promise<void>

/**
 * Long enough for a partition to get another leader. While a record waits, it occupies one of the dispatcher's
 * MAX_OUTSTANDING_RECORDS, which healthy channels need, too.
 */
export const giveUpAfterMs = 20_000

/**
 * Publishes the next attempt to the retry topic of the step. If the broker rejects the record or does not
 * acknowledge it in time, the sweep later finds that the delivery is overdue, because its row contains when the
 * attempt is due.
 */
export function createScheduleRetry(publish: Publish, retryTopics: readonly string[]): ScheduleRetry {
  return async ({ id, attempt, failures, correlation }, step, failed) => {
    const topic = retryTopics[step]
    if (topic === undefined) throw new Error(`there is no retry topic for step ${step}`)
    const next: RetryRecord = { delivery: id, attempt: attempt + 1, failures: failures + 1, correlation }
    const record = { topic, key: id, value: JSON.stringify(next), ...traceHeaders(failed) }
    await publish(record, { giveUpAfterMs })
  }
}
