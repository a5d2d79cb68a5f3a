import type { Logger } from "../logging/logger.ts"
import { sleepUnlessAborted } from "./sleepUnlessAborted.ts"

const longestIntervalMs = 3_600_000
const shortestIntervalMs = 1_000

/**
 * Deletes rows older than `retentionMs` every hour, or more often if `retentionMs` is less than a day. The
 * first time is random, so that processes do not delete at the same time. `deleteBefore` must stop when
 * `signal` is aborted, because `close` waits for it.
 */
export function startRetention(settings: {
  retentionMs: number
  /** The clock by which rows were created. */
  databaseTime: () => Promise<Date>
  deleteBefore: (
    before: Date,
    signal: AbortSignal,
  ) => Promise<{ kind: string; deleted: Record<string, number> }>
  log: Logger
}): { close(): Promise<void> } {
  const { retentionMs, databaseTime, deleteBefore, log } = settings
  const closing = new AbortController()
  const { signal } = closing
  const everyMs = Math.min(longestIntervalMs, Math.max(shortestIntervalMs, retentionMs / 24))

  async function run(): Promise<void> {
    for (let waitMs = Math.random() * everyMs; ; waitMs = everyMs) {
      await sleepUnlessAborted(waitMs, signal)
      if (signal.aborted) return
      try {
        // The earlier of two clocks: one that is set ahead must not delete what is still needed.
        const now = Math.min(Date.now(), (await databaseTime()).getTime())
        const before = new Date(now - retentionMs)
        const { kind, deleted } = await deleteBefore(before, signal)
        const any = Object.values(deleted).some((rows) => rows > 0)
        if (any) log.info({ kind, deleted, before }, "retention: deleted")
      } catch (error) {
        log.warn({ error }, "retention: some rows could not be deleted; the next interval tries again")
      }
    }
  }

  const running = run()
  return {
    close: async () => {
      closing.abort()
      await running
    },
  }
}
