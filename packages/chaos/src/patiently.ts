import { setTimeout as sleep } from "node:timers/promises"

/** Tries until it works: what is asked of is taken away and given back all the time. At most two minutes. */
export async function patiently<T>(work: () => Promise<T>): Promise<T> {
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
