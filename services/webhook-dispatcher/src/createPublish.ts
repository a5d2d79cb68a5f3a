import { PermanentPublishError, type Producer, type ProducerRecord } from "@sitewire/kafka"
import { type Logger, reasonOf, retryWhileUnavailable, sleepUnlessAborted } from "@sitewire/runtime"

type Published =
  | { kind: "published" }
  /** The broker will never accept the record. */
  | { kind: "rejected"; why: string }
  /** Not acknowledged within `giveUpAfterMs`. The record may have been appended nevertheless. */
  | { kind: "not acknowledged" }

type PublishOptions = {
  /** Default: retries for as long as Kafka is unavailable. */
  giveUpAfterMs?: number
  /** Also retries while the broker rejects the whole topic, for a record that must not be dropped. */
  retryRejectedTopic?: boolean
}

const checkEveryMs = 1_000
const checkWithinMs = 1_000

export type Publish = (record: ProducerRecord, options?: PublishOptions) => Promise<Published>

/**
 * Drops and logs a record that the broker rejects for good, because retrying would block the consumed partition. `onTopic` reports
 * a topic that rejects everything (a missing permission).
 */
export function createPublish(parts: {
  producer: Pick<Producer, "publish" | "check">
  signal: AbortSignal
  onState: (working: boolean, why?: string) => void
  onTopic: (topic: string, working: boolean, why?: string) => void
  log: Logger
}): Publish {
  const { producer, signal, onState, onTopic, log } = parts
  const rejectedTopics = new Set<string>()
  const watchedTopics = new Set<string>()

  function reportTopic({ message, scope, topic }: PermanentPublishError): void {
    if (scope !== "topic") return
    rejectedTopics.add(topic)
    onTopic(topic, false, message)
  }

  /** The next record may be hours away, so it cannot tell that the topic is available again. */
  async function watchUntilAvailable(topic: string): Promise<void> {
    if (watchedTopics.has(topic)) return
    watchedTopics.add(topic)
    for (let isAvailable = false; !isAvailable && !signal.aborted; ) {
      await sleepUnlessAborted(checkEveryMs, signal)
      const state = await producer.check(topic, checkWithinMs).catch(() => null)
      isAvailable = state !== null && state.status !== "unavailable"
    }
    watchedTopics.delete(topic)
    if (!signal.aborted && watchedTopics.size === 0) onState(true)
  }

  return async (record, { giveUpAfterMs = Number.POSITIVE_INFINITY, retryRejectedTopic = false } = {}) => {
    const { topic } = record
    const giveUpAt = performance.now() + giveUpAfterMs
    const isDropped = (error: unknown) =>
      error instanceof PermanentPublishError && !(retryRejectedTopic && error.scope === "topic")
    try {
      await retryWhileUnavailable({
        what: "publish",
        work: () => producer.publish([record]),
        isTransient: (error) => {
          if (error instanceof PermanentPublishError) reportTopic(error)
          return !isDropped(error) && performance.now() < giveUpAt
        },
        signal,
        onState,
      })
    } catch (error) {
      const why = reasonOf(error)
      if (isDropped(error)) {
        log.error({ topic, why }, "Kafka rejects a record for good; the record is dropped")
        return { kind: "rejected", why }
      }
      if (signal.aborted) throw error
      // Once for each outage, because each failed attempt publishes a record.
      if (!watchedTopics.has(topic)) log.warn({ topic, why }, "Kafka has not acknowledged a record in time")
      void watchUntilAvailable(topic)
      return { kind: "not acknowledged" }
    }
    if (rejectedTopics.delete(topic)) onTopic(topic, true)
    return { kind: "published" }
  }
}
