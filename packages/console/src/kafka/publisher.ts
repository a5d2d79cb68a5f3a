import {
  type KafkaConnection,
  type Producer,
  type ProducerRecord,
  requireBroker,
  startProducer,
} from "@sitewire/kafka"
import { reasonOf, watchDependency } from "@sitewire/runtime"

/**
 * Rejects with `KafkaUnavailable` unless the broker has acknowledged each record. A record may be on the broker nevertheless, so
 * publishing it again can duplicate it.
 */
export type Publish = (records: ProducerRecord[]) => Promise<void>

/** Watches Kafka, and connects a producer when something is published: the console starts and works while Kafka is unavailable. */
export function startPublisher({
  kafka,
  onState,
}: {
  kafka: KafkaConnection
  onState: (reachable: boolean, why?: string) => void
}): { publish: Publish; close(deadlineMs: number): Promise<void> } {
  const check = () => requireBroker(kafka)
  const watch = watchDependency({ check, onState })
  check().then(
    () => onState(true),
    (error) => onState(false, reasonOf(error)),
  )
  let producer: Promise<Producer> | undefined
  return {
    async publish(records) {
      producer ??= startProducer({ kafka })
      const connected = await producer.catch((error) => {
        producer = undefined
        return unavailable(error)
      })
      await connected.publish(records).catch(unavailable)
    },
    async close(deadlineMs) {
      watch.stop()
      const connected = await producer?.catch(() => undefined)
      await connected?.close(deadlineMs)
    },
  }
}

export class KafkaUnavailable extends Error {
  override name = "KafkaUnavailable"
}

export function unavailable(cause: unknown): never {
  throw new KafkaUnavailable(reasonOf(cause), { cause })
}
