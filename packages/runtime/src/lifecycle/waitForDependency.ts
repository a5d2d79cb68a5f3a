import { setTimeout as sleep } from "node:timers/promises"
import type { Logger } from "../logging/logger.ts"
import { reasonOf } from "../logging/reasonOf.ts"

/**
 * Waits at start for something that is away (`name`, for example "Postgres"), saying so in the log, and rejects with a
 * clear error after the deadline. `check` rejects while it is away; `remedy` tells what to look at.
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
        throw new Error(`${name}: not there after ${seconds} s (${reason}). ${remedy}`, { cause: error })
      }
      log.warn({ part: name, waitedMs, deadlineMs, reason }, "waiting for a part that is away")
      await sleep(Math.min(200 * 2 ** attempt, 3_000), undefined, signal ? { signal } : {})
    }
  }
}
