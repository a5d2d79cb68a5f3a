import type { Logger } from "../logging/logger.ts"
import { sleepUnlessAborted } from "./sleepUnlessAborted.ts"

/**
 * Calls `step` again and again, with a pause of `intervalMs` after each call, until it is closed. A step that fails is
 * repeated too. Of failures in a row, the first is logged with the text `failed`.
 */
export function repeatUntilClosed({
  step,
  intervalMs,
  failed,
  log,
  closing = new AbortController(),
}: {
  step: (signal: AbortSignal) => Promise<void>
  intervalMs: number
  failed: string
  log: Logger
  /** Given if something else ends at the same time. */
  closing?: AbortController
}): { close(): Promise<void> } {
  const { signal } = closing
  let isFailing = false

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        await step(signal)
        isFailing = false
      } catch (error) {
        if (!isFailing) log.warn({ error }, failed)
        isFailing = true
      }
      await sleepUnlessAborted(intervalMs, signal)
    }
  }

  const running = run()
  return {
    async close() {
      closing.abort()
      await running
    },
  }
}
