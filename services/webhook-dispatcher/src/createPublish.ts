import { PermanentPublishError, type Producer, type ProducerRecord } from "@sitewire/kafka"
import { type Logger, retryWhileUnavailable } from "@sitewire/runtime"

/** Retries while Kafka is unavailable. `rejected`: the broker will never accept the record. */
export type Publish = (
  record: ProducerRecord,
) => Promise<{ kind: "published" } | { kind: "rejected"; why: string }>

/**
 * Drops and logs a record that the broker rejects for good, because retrying would block the consumed
 * partition. If the broker rejects a whole topic (a missing permission), `onTopic` reports this until the
 * topic accepts a record.
 */
export function createPublish(parts: {
  producer: Pick<Producer, "publish">
  signal: AbortSignal
  onState: (working: boolean, why?: string) => void
  onTopic: (topic: string, working: boolean, why?: string) => void
  log: Logger
}): Publish {
  const { producer, signal, onState, onTopic, log } = parts
  const rejectedTopics = new Set<string>()

  return async (record) => {
    const { topic } = record
    try {
      await retryWhileUnavailable({
        what: "publish",
        work: () => producer.publish([record]),
        isTransient: (error) => !(error instanceof PermanentPublishError),
        signal,
        onState,
      })
    } catch (error) {
      if (!(error instanceof PermanentPublishError)) throw error
      const { message: why, scope } = error
      log.error({ topic, why }, "Kafka rejects a record for good; the record is dropped")
      if (scope === "topic") {
        rejectedTopics.add(topic)
        onTopic(topic, false, why)
      }
      return { kind: "rejected", why }
    }
    if (rejectedTopics.delete(topic)) onTopic(topic, true)
    return { kind: "published" }
  }
}
