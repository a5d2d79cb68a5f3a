import { type Outgoing, PermanentPublishError, type Producer } from "@sitewire/kafka"
import { type Logger, retryWhileUnavailable } from "@sitewire/runtime"

/** Publishes one record and retries while Kafka is unavailable. `refused`: the broker will never accept this record. */
export type Publish = (record: Outgoing) => Promise<{ kind: "published" } | { kind: "refused"; why: string }>

/**
 * A record that the broker refuses for good must not block the partition of the record that it follows from. It is logged; where the broker
 * refuses all records of a topic (a missing permission, say), `onTopic` reports that until one is accepted.
 */
export function createPublish(parts: {
  producer: Pick<Producer, "publish">
  /** Aborted when nothing is retried any longer: the stop's time is nearly over. */
  signal: AbortSignal
  onState: (working: boolean, why?: string) => void
  onTopic: (topic: string, working: boolean, why?: string) => void
  log: Logger
}): Publish {
  const { producer, signal, onState, onTopic, log } = parts
  const refusedTopics = new Set<string>()

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
      log.error({ topic, why }, "Kafka refuses a record for good; the dispatcher goes on without it")
      if (scope === "topic") {
        refusedTopics.add(topic)
        onTopic(topic, false, why)
      }
      return { kind: "refused", why }
    }
    if (refusedTopics.delete(topic)) onTopic(topic, true)
    return { kind: "published" }
  }
}
