import type { Logger } from "../logging/logger.ts"
import { sleepUnlessAborted } from "./sleepUnlessAborted.ts"

/**
 * Pauses before a statement is repeated for a row that another transaction has locked. That is usually another
 * process's statement, which takes milliseconds.
 */
export const firstLockPauseMs = 50
export const longestLockPauseMs = 1_000

/** A lock that lasts longer is reported. */
export const longLockMs = 1_000

/** Repeats `work` while another transaction has locked a row. Throws if that is still so after `signal` was aborted. */
export async function whileLocked<T>(options: {
  /** To whom the row belongs. */
  owner: { connection?: string; delivery?: string }
  /** Skips a locked row instead of waiting for it, so that the row delays no others and occupies no connection to Postgres. */
  work: () => Promise<T | "locked">
  signal: AbortSignal
  log: Logger
}): Promise<T> {
  const { work, signal, log } = options
  const { connection, delivery } = options.owner
  const startedAt = performance.now()
  let reported = false
  for (let pauseMs = firstLockPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestLockPauseMs)) {
    const result = await work()
    if (result !== "locked") return result
    if (signal.aborted) throw new Error("another transaction has locked the row")
    if (!reported && performance.now() - startedAt > longLockMs) {
      reported = true
      log.warn(
        { connection, delivery },
        "a row is locked by another transaction, so what has to be recorded in it waits; others proceed",
      )
    }
    await sleepUnlessAborted(pauseMs, signal)
  }
}
