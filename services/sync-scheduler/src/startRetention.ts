import { setTimeout as sleep } from "node:timers/promises"
import type { Pool } from "@sitewire/database"
import type { Logger } from "@sitewire/runtime"
import { deleteOldRuns } from "./deleteOldRuns.ts"

/** 10,000 rows a second at most: 100,000 connections that sync every minute add 1,700. */
const batch = 1_000
const pauseMs = 100

const longestIntervalMs = 3_600_000
const shortestIntervalMs = 1_000

/**
 * Deletes runs that are older than `retentionMs`, every hour; more often where the retention is shorter than a day.
 * Starts at a random moment of the first interval, so that schedulers that were started together do not meet.
 */
export function startRetention(settings: { pool: Pool; retentionMs: number; log: Logger }): {
  close(): Promise<void>
} {
  const { pool, retentionMs, log } = settings
  const closing = new AbortController()
  const { signal } = closing
  const everyMs = Math.min(longestIntervalMs, Math.max(shortestIntervalMs, retentionMs / 24))

  async function run(): Promise<void> {
    for (let waitMs = Math.random() * everyMs; ; waitMs = everyMs) {
      await sleep(waitMs, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      const before = new Date(Date.now() - retentionMs)
      try {
        const { kind, runs } = await deleteOldRuns({ pool, before, batch, pauseMs, signal })
        if (runs > 0) log.info({ runs, before, kind }, "retention: deleted")
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
