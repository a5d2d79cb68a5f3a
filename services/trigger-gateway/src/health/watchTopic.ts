import type { Producer, TopicState } from "@sitewire/kafka"
import { type Logger, type Readiness, reasonOf } from "@sitewire/runtime"

/** How often the gateway checks Kafka and Postgres. */
export const checkEveryMs = 1_000

/** If only some partitions accept records, the gateway stays ready, because others use the same brokers. Resolves after the first check. */
export async function watchTopic(settings: {
  producer: Pick<Producer, "check" | "publish">
  topic: string
  everyMs: number
  withinMs: number
  readiness: Readiness
  log: Logger
}) {
  const { producer, topic, everyMs, withinMs, readiness, log } = settings
  let state: TopicState = { status: "available" }
  let checking = false

  async function checkNow(): Promise<void> {
    if (checking) return
    checking = true
    const next = await producer.check(topic, withinMs).catch(
      (error): TopicState => ({
        status: "unavailable",
        why: reasonOf(error),
      }),
    )
    checking = false
    if (next.status === "partial" && state.status !== "partial") {
      const { unavailable, partitions, why } = next
      log.warn(
        { unavailable, partitions, why },
        "some partitions accept no records; triggers of their connections get 503",
      )
    }
    if (next.status === "available" && state.status === "partial")
      log.info("all partitions accept records again")
    state = next
    readiness.set("kafka", state.status !== "unavailable", describe(state))
  }

  const timer = setInterval(() => void checkNow(), everyMs)
  await checkNow()
  return {
    unavailablePartitions: () => (state.status === "partial" ? state.unavailable.length : 0),
    async publish(records: Parameters<Producer["publish"]>[0]): Promise<void> {
      try {
        await producer.publish(records)
      } catch (error) {
        void checkNow()
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
