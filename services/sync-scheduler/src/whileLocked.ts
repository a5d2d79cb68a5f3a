import { type Logger, sleepUnlessAborted } from "@sitewire/runtime"

/**
 * Pauses before a statement is repeated for a row that another transaction has locked. That is usually another
 * scheduler's statement, which takes milliseconds.
 */
export const firstLockPauseMs = 50
export const longestLockPauseMs = 1_000

/** A lock that lasts longer is reported. */
export const longLockMs = 1_000

export type WhileLockedOptions<T> = {
  connection: string
  /** Does not wait for the lock, so that a locked row occupies no connection to Postgres. */
  work: () => Promise<T | "locked">
  signal: AbortSignal
  log: Logger
}

/**
 * Repeats `work` while another transaction has locked the connection's row in `sync_window`. Throws if that is
 * still so after `signal` was aborted.
 */
export async function whileLocked<T>(options: WhileLockedOptions<T>): Promise<T> {
  const { connection, work, signal, log } = options
  const startedAt = performance.now()
  let reported = false
  for (let pauseMs = firstLockPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestLockPauseMs)) {
    const result = await work()
    if (result !== "locked") return result
    if (signal.aborted) throw new Error("another transaction has locked the connection's row in sync_window")
    if (!reported && performance.now() - startedAt > longLockMs) {
      reported = true
      log.warn(
        { connection },
        "the row of a connection in sync_window is locked by another transaction, so its sync cannot be recorded; others proceed",
      )
    }
    await sleepUnlessAborted(pauseMs, signal)
  }
}
