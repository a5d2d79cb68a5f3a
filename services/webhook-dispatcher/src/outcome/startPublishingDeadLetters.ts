import type { DeadLetter } from "@sitewire/contracts"
import { type Logger, repeatUntilClosed, traceHeaders } from "@sitewire/runtime"
import type { Publish } from "../createPublish.ts"
import type { DispatcherMetrics } from "../metrics.ts"
import type { DiedDelivery } from "./deadLetters.ts"

const most = 500

/** A letter that Kafka has not acknowledged by then is published again later. */
const giveUpAfterMs = 20_000
const leaseMs = 30_000

export type DeadLetterParts = {
  claim: (settings: { most: number; leaseMs: number }) => Promise<DiedDelivery[]>
  markPublished: (letters: DiedDelivery[]) => Promise<void>
  publish: Publish
  topic: string
  intervalMs: number
  metrics: Pick<DispatcherMetrics, "dead">
  log: Logger
}

/**
 * Publishes the dead letters of deliveries that became dead. Their deaths are in Postgres, so no attempt waits for Kafka
 * here. A kill between publishing and marking repeats letters.
 */
export function startPublishingDeadLetters(parts: DeadLetterParts): { close(): Promise<void> } {
  const { claim, markPublished, metrics, intervalMs, log } = parts

  async function step(signal: AbortSignal): Promise<void> {
    for (let last = most; last === most && !signal.aborted; ) {
      const claimed = await claim({ most, leaseMs })
      last = claimed.length
      if (last === 0) return
      metrics.dead.inc(claimed.filter(({ isNew }) => isNew).length)
      const results = await Promise.all(claimed.map(publishOne))
      const published = claimed.filter((_, at) => results[at])
      if (published.length > 0) await markPublished(published)
    }
  }

  /** False: the letter must be published again. */
  async function publishOne(died: DiedDelivery): Promise<boolean> {
    const value: DeadLetter = {
      delivery: died.id,
      channel: died.channel,
      attempts: died.attempts,
      since: died.since.toISOString(),
      last_error: died.error,
      last_status: died.status,
      correlation: died.correlation,
    }
    const record = {
      topic: parts.topic,
      key: died.id,
      value: JSON.stringify(value),
      ...traceHeaders(died.traceparent),
    }
    const { kind } = await parts.publish(record, { giveUpAfterMs, retryRejectedTopic: true })
    return kind !== "not acknowledged"
  }

  return repeatUntilClosed({
    step,
    intervalMs,
    failed: "dead letters could not be published; it is repeated",
    log,
  })
}
