import { reasonOf } from "../logging/reasonOf.ts"
import { sleepUnlessAborted } from "./sleepUnlessAborted.ts"

const firstPauseMs = 100
const longestPauseMs = 5_000

/**
 * Repeats `work`, with growing pauses, while it fails with an error that `isTransient` accepts. After
 * `signal` is aborted, rejects with the next error. The caller then does not commit the Kafka record that it
 * was handling, so that the record is consumed again after the restart.
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
      await sleepUnlessAborted(pauseMs, signal)
    }
  }
}
