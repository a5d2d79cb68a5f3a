import { setTimeout as sleep } from "node:timers/promises"
import type { Logger } from "../logging/logger.ts"
import { reasonOf } from "../logging/reasonOf.ts"
import type { Lifecycle } from "./lifecycle.ts"

/**
 * Repeats `check` until it resolves. After the deadline, rejects with `remedy`, which tells the operator what
 * to check.
 */
export async function waitForDependency(settings: {
  name: string
  check: () => Promise<unknown>
  deadlineMs: number
  remedy: string
  log: Logger
  signal?: AbortSignal
}): Promise<void> {
  const { name, check, deadlineMs, remedy, log, signal } = settings
  const startedAt = performance.now()
  for (let attempt = 1; ; attempt++) {
    try {
      await check()
      return
    } catch (error) {
      const reason = reasonOf(error)
      const waitedMs = Math.round(performance.now() - startedAt)
      if (waitedMs >= deadlineMs) {
        const seconds = Math.round(deadlineMs / 1000)
        throw new Error(`${name} was unavailable for ${seconds} s (${reason}). ${remedy}`, { cause: error })
      }
      log.warn({ dependency: name, waitedMs, deadlineMs, reason }, "waiting for a dependency")
      await sleep(Math.min(200 * 2 ** attempt, 3_000), undefined, signal ? { signal } : {})
    }
  }
}

/** Waits for Kafka's brokers, and then for the topics that the setup job makes. */
export async function waitForKafka(
  { config, log, lifecycle }: { config: { STARTUP_DEADLINE: number }; log: Logger; lifecycle: Lifecycle },
  kafka: { broker: () => Promise<unknown>; topics: () => Promise<unknown>; variables?: string },
): Promise<void> {
  const { broker, topics, variables = "TOPIC_PREFIX" } = kafka
  const waiting = { deadlineMs: config.STARTUP_DEADLINE, log, signal: lifecycle.stopping }
  const correctBrokers = "Start it, or correct KAFKA_BROKERS."
  await waitForDependency({ ...waiting, name: "Kafka", check: broker, remedy: correctBrokers })
  const setUp = `Run the setup job, with the same ${variables}.`
  await waitForDependency({ ...waiting, name: "Kafka's topics", check: topics, remedy: setUp })
}
