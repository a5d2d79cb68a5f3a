import { type Outgoing, type Producer, RecordTooLarge } from "@sitewire/kafka"
import { type Logger, persevere, reasonOf } from "@sitewire/runtime"

/**
 * Publishes one record and retries while Kafka is unavailable. `refused`: the broker will never take this record (too large, or we
 * may not write to its topic); it was logged, and readiness reports it.
 */
export type Publish = (record: Outgoing) => Promise<{ kind: "published" } | { kind: "refused"; why: string }>

export function createPublish(parts: {
  producer: Pick<Producer, "publish">
  /** Aborted when nothing is retried any longer: the stop's time is nearly over. */
  signal: AbortSignal
  onState: (working: boolean, why?: string) => void
  log: Logger
}): Publish {
  const { producer, signal, onState, log } = parts
  return async (record) => {
    try {
      await persevere({
        what: "publish",
        work: () => producer.publish([record]),
        isPassing: (error) => !isPermanent(error),
        signal,
        onState,
      })
      return { kind: "published" }
    } catch (error) {
      if (!isPermanent(error)) throw error
      const why = reasonOf(error)
      log.error({ topic: record.topic, why }, "Kafka refuses a record for good; going on without it")
      return { kind: "refused", why }
    }
  }
}

const isPermanent = (error: unknown) => error instanceof RecordTooLarge
