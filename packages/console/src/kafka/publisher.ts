import {
  type KafkaConnection,
  type Producer,
  type ProducerRecord,
  requireBroker,
  startProducer,
} from "@sitewire/kafka"
import {
  type DependencyWatch,
  type Logger,
  reasonOf,
  retryWhileUnavailable,
  watchDependency,
} from "@sitewire/runtime"

/**
 * Rejects with `KafkaUnavailable` unless the broker has acknowledged each record. A record may be on the broker nevertheless, so
 * publishing it again can duplicate it.
 */
export type Publish = (records: ProducerRecord[]) => Promise<void>

type Publisher = { publish: Publish; close(deadlineMs: number): Promise<void> }

/**
 * Connects to Kafka in the background, so that the console starts and works while Kafka is unavailable.
 */
export function startPublisher(settings: {
  kafka: KafkaConnection
  log: Logger
  onState: (reachable: boolean, why?: string) => void
}): Publisher {
  const { kafka, log, onState } = settings
  const stopping = new AbortController()
  let producer: Producer | undefined
  let watch: DependencyWatch | undefined

  async function connect(): Promise<void> {
    producer = await retryWhileUnavailable({
      what: "Kafka",
      work: () => startProducer({ kafka }),
      isTransient: () => true,
      signal: stopping.signal,
      onState,
    })
    if (!stopping.signal.aborted) watch = watchDependency({ check: () => requireBroker(kafka), onState })
  }

  const connecting = connect().catch((error: unknown) => {
    if (!stopping.signal.aborted) log.error({ error }, "the Kafka producer cannot be started")
  })

  return {
    async publish(records) {
      if (!producer) throw new KafkaUnavailable("not connected yet")
      await producer.publish(records).catch(unavailable)
    },
    async close(closeDeadlineMs) {
      stopping.abort()
      await connecting
      watch?.stop()
      await producer?.close(closeDeadlineMs)
    },
  }
}

export class KafkaUnavailable extends Error {
  override name = "KafkaUnavailable"
}

export function unavailable(cause: unknown): never {
  throw new KafkaUnavailable(reasonOf(cause), { cause })
}
