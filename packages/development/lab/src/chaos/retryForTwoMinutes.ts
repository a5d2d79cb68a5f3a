import { setTimeout as sleep } from "node:timers/promises"

/**
 * Repeats `work` until it succeeds, for two minutes at most, because faults make Postgres and Kafka
 * unavailable for seconds.
 */
export async function retryForTwoMinutes<T>(work: () => Promise<T>): Promise<T> {
  const endsAt = performance.now() + 120_000
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (performance.now() > endsAt) throw error
      await sleep(200)
    }
  }
}
