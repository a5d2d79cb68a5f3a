import { setTimeout as sleep } from "node:timers/promises"
import { fixtureTries } from "./deadlines.ts"

/** Repeats work that leaves nothing behind when it fails, so that one failed connection does not fail a test file. */
export async function retryFixture<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (tries === fixtureTries) throw error
      await sleep(100 * tries)
    }
  }
}
