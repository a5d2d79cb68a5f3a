import { setTimeout as sleep } from "node:timers/promises"
import { reasonOf } from "../logging/reasonOf.ts"

const firstPauseMs = 100
const longestPauseMs = 5_000

/**
 * Does `work` again and again while it fails for a reason that passes (`isTransient`: the broker or database is away),
 * with growing pauses. Rejects with what does not pass, and with the last failure once `signal` is aborted: whoever
 * holds a record then leaves it undone, and it comes again after the restart. `onState` tells readiness, which tells
 * the log: hundreds of batches may wait for the same database.
 */
export async function retryWhileUnavailable<T>(settings: {
  what: string
  work: () => Promise<T>
  isTransient: (error: unknown) => boolean
  signal: AbortSignal
  onState: (working: boolean, why?: string) => void
}): Promise<T> {
  const { what, work, isTransient, signal, onState } = settings
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      const result = await work()
      onState(true)
      return result
    } catch (error) {
      if (signal.aborted || !isTransient(error)) throw error
      onState(false, `${what}: ${reasonOf(error)}`)
      await sleep(pauseMs, undefined, { signal }).catch(() => {})
    }
  }
}
