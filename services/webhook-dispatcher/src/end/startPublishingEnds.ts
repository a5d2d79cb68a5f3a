import type { DeadLetter, DeliveryOutcome } from "@sitewire/contracts"
import type { EndedDelivery } from "@sitewire/deliveries"
import {
  type Logger,
  publishWithinMs,
  type RowClaim,
  startPublishingRows,
  traceHeaders,
} from "@sitewire/runtime"
import type { Publish } from "../createPublish.ts"
import type { DispatcherMetrics } from "../metrics.ts"

export type PublishingParts = {
  claim: (settings: RowClaim) => Promise<EndedDelivery[]>
  settle: (ended: EndedDelivery[]) => Promise<void>
  publish: Publish
  /** `outcome`: null publishes none. */
  topics: { dead: string; outcome: string | null }
  intervalMs: number
  metrics: Pick<DispatcherMetrics, "dead">
  log: Logger
}

/** Publishes what became of deliveries, which is in Postgres, so that no attempt waits for Kafka. */
export function startPublishingEnds(parts: PublishingParts): { close(): Promise<void> } {
  const { claim, settle, topics, metrics, intervalMs, log } = parts

  async function publish(ended: EndedDelivery): Promise<boolean> {
    if (ended.death && ended.isNew) metrics.dead.inc()
    const records = [
      ...(ended.death ? [{ topic: topics.dead, key: ended.id, value: deadLetter(ended, ended.death) }] : []),
      ...(topics.outcome === null
        ? []
        : [{ topic: topics.outcome, key: ended.event, value: outcome(ended) }]),
    ]
    const published = records.map(({ value, ...record }) =>
      parts.publish(
        { ...record, value: JSON.stringify(value), ...traceHeaders(ended.traceparent) },
        { giveUpAfterMs: publishWithinMs, retryRejectedTopic: true },
      ),
    )
    return (await Promise.all(published)).every(({ kind }) => kind !== "not acknowledged")
  }

  return startPublishingRows({
    claim,
    publish,
    settle,
    intervalMs,
    failed: "ends of deliveries could not be published; it is repeated",
    log,
  })
}

const deadLetter = (
  { id, channel, attempts, correlation }: EndedDelivery,
  { since, error, status }: NonNullable<EndedDelivery["death"]>,
): DeadLetter => ({
  delivery: id,
  channel,
  attempts,
  since: since.toISOString(),
  last_error: error,
  last_status: status,
  correlation,
})

const outcome = (ended: EndedDelivery): DeliveryOutcome => ({
  event_id: ended.event,
  delivery: ended.id,
  channel: ended.channel,
  state: ended.state,
  attempts: ended.attempts,
  ended_at: ended.endedAt,
  last_error: ended.death?.error ?? null,
  last_status: ended.death?.status ?? null,
  correlation: ended.correlation,
})
