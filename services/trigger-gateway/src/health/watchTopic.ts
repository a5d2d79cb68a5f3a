import type { Producer, TopicState } from "@sitewire/kafka"
import { type Logger, type Readiness, reasonOf } from "@sitewire/runtime"

export type ProducerWatch = {
  /** No partition of the topic could accept a record. */
  away(): boolean
  /** How many partitions of the topic accept no records, as far as is known. */
  unavailable(): number
  publish: Producer["publish"]
  stop(): void
}

/**
 * Keeps readiness true to what the producer knows of its topic: not ready when no partition accepts records; ready, with
 * the partitions in the readiness text, when some do. A gateway that is not ready serves none of the connections, and
 * other gateways reach no other brokers. Resolves when the producer was asked once.
 */
export async function watchProducer(settings: {
  producer: Pick<Producer, "check" | "publish">
  topic: string
  everyMs: number
  withinMs: number
  readiness: Readiness
  log: Logger
}): Promise<ProducerWatch> {
  const { producer, topic, everyMs, withinMs, readiness, log } = settings
  let state: TopicState = { status: "available" }
  let asking = false

  async function look(): Promise<void> {
    if (asking) return
    asking = true
    const asked = producer.check(topic, withinMs)
    const next = await asked.catch(
      (error): TopicState => ({
        status: "unavailable",
        responds: false,
        why: reasonOf(error),
      }),
    )
    asking = false
    if (next.status === "partial" && state.status !== "partial")
      log.warn(next, "partitions accept no records")
    if (next.status === "available" && state.status === "partial") log.info("all partitions accept records")
    state = next
    readiness.set("kafka", state.status !== "unavailable", describe(state))
  }

  const timer = setInterval(() => void look(), everyMs)
  await look()
  return {
    away: () => state.status === "unavailable" && !state.responds,
    unavailable: () => (state.status === "partial" ? state.unavailable.length : 0),
    async publish(records) {
      try {
        await producer.publish(records)
      } catch (error) {
        void look()
        throw error
      }
    },
    stop: () => clearInterval(timer),
  }
}

function describe(state: TopicState): string | undefined {
  if (state.status === "available") return undefined
  if (state.status === "unavailable") return state.why
  const { unavailable, partitions, why } = state
  return `${unavailable.length} of ${partitions} partitions accept no records (${unavailable.join(", ")}): ${why}`
}
