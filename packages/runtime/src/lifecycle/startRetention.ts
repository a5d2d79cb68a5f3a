import { setTimeout as sleep } from "node:timers/promises"
import type { Logger } from "../logging/logger.ts"

const longestIntervalMs = 3_600_000
const shortestIntervalMs = 1_000

/**
 * Deletes what is older than `retentionMs`, every hour; more often where the retention is shorter than a day. Starts at
 * a random moment of the first interval, so that processes that were started together do not meet. `deleteBefore`
 * returns what it deleted by name, for the log; it must heed `signal`, which `close` aborts and then waits for.
 */
export function startRetention(settings: {
  retentionMs: number
  deleteBefore: (
    before: Date,
    signal: AbortSignal,
  ) => Promise<{ kind: string; deleted: Record<string, number> }>
  log: Logger
}): { close(): Promise<void> } {
  const { retentionMs, deleteBefore, log } = settings
  const closing = new AbortController()
  const { signal } = closing
  const everyMs = Math.min(longestIntervalMs, Math.max(shortestIntervalMs, retentionMs / 24))

  async function run(): Promise<void> {
    for (let waitMs = Math.random() * everyMs; ; waitMs = everyMs) {
      await sleep(waitMs, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      const before = new Date(Date.now() - retentionMs)
      try {
        const { kind, deleted } = await deleteBefore(before, signal)
        const any = Object.values(deleted).some((rows) => rows > 0)
        if (any) log.info({ ...deleted, before, kind }, "retention: deleted")
      } catch (error) {
        log.warn({ error }, "retention: not all could be deleted; it is tried again at the next interval")
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
