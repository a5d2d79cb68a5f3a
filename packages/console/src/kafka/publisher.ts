import {
  checkBroker,
  type KafkaConnection,
  type Outgoing,
  type Producer,
  startProducer,
} from "@sitewire/kafka"
import { type Logger, reasonOf, retryWhileUnavailable } from "@sitewire/runtime"

const deadlineMs = 5_000

/** `away` may have reached the broker all the same: publishing again is publishing at least once. */
export type Publish = (record: Outgoing) => Promise<{ kind: "acknowledged" } | { kind: "away"; why: string }>

export type Publisher = { publish: Publish; close(deadlineMs: number): Promise<void> }

/**
 * Connects to Kafka in the background and goes on trying, so that the console starts and does everything else while
 * Kafka is away. `onState` hears what a look at the cluster every `everyMs` finds.
 */
export function startPublisher(settings: {
  kafka: KafkaConnection
  log: Logger
  onState: (reachable: boolean, why?: string) => void
  everyMs?: number
}): Publisher {
  const { kafka, log, onState, everyMs = 5_000 } = settings
  const stopping = new AbortController()
  let producer: Producer | undefined
  let timer: NodeJS.Timeout | undefined

  async function connect(): Promise<void> {
    producer = await retryWhileUnavailable({
      what: "Kafka",
      work: () => startProducer({ kafka, deadlineMs }),
      isTransient: () => true,
      signal: stopping.signal,
      onState,
    })
    timer = setTimeout(() => void look(), everyMs)
  }

  async function look(): Promise<void> {
    const state = await checkBroker({ kafka })
    if (stopping.signal.aborted) return
    onState(state.status === "reachable", state.status === "reachable" ? undefined : state.why)
    timer = setTimeout(() => void look(), everyMs)
  }

  const connecting = connect().catch((error: unknown) => {
    if (!stopping.signal.aborted) log.error({ error }, "the producer cannot be started")
  })

  return {
    async publish(record) {
      if (!producer) return { kind: "away", why: "not connected yet" }
      try {
        await producer.publish([record])
        return { kind: "acknowledged" }
      } catch (error) {
        return { kind: "away", why: reasonOf(error) }
      }
    },
    async close(closeDeadlineMs) {
      stopping.abort()
      clearTimeout(timer)
      await connecting
      await producer?.close(closeDeadlineMs)
    },
  }
}
