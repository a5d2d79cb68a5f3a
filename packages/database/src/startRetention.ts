import { type Logger, sleepUnlessAborted } from "@sitewire/runtime"
import { makeDays } from "./days.ts"
import type { Pool } from "./pool.ts"
import { readClock } from "./readServer.ts"

const longestIntervalMs = 3_600_000
const shortestIntervalMs = 1_000
/** Rows that are deleted one by one, and not with their day. */
const pace = { batch: 1_000, pauseMs: 100 }

export type OldRows = { pool: Pool; before: Date; batch: number; pauseMs: number; signal: AbortSignal }

/**
 * Deletes rows older than `retentionMs` and makes the days of the next ones every hour, or more often if `retentionMs` is less than a
 * day. The first time is random, so that processes do not delete at the same time. `deleteBefore` must stop when `signal` is aborted.
 * Resolves when today's rows have a day, which could not be made after them.
 */
export async function startRetention(settings: {
  pool: Pool
  retentionMs: number
  deleteBefore: (deletion: OldRows) => Promise<{ kind: string } & Record<string, number | string>>
  log: Logger
}): Promise<{ close(): Promise<void> }> {
  const { pool, retentionMs, deleteBefore, log } = settings
  const closing = new AbortController()
  const { signal } = closing
  const everyMs = Math.min(longestIntervalMs, Math.max(shortestIntervalMs, retentionMs / 24))
  // Retention goes on without them, because a disk that fills up is worse.
  const daysNotMade = (error: unknown) =>
    log.warn({ error }, "days of the next rows could not be made; the next interval tries again")

  async function deleteOld(): Promise<void> {
    await makeDays(pool.sql).catch(daysNotMade)
    // The earlier of two clocks: one that is set ahead must not delete what is still needed.
    const now = Math.min(Date.now(), (await readClock(pool.sql)).getTime())
    const before = new Date(now - retentionMs)
    const { kind, ...deleted } = await deleteBefore({ pool, before, ...pace, signal })
    const any = Object.values(deleted).some((rows) => rows !== 0)
    if (any) log.info({ kind, deleted, before }, "retention: deleted")
  }

  async function run(): Promise<void> {
    for (let waitMs = Math.random() * everyMs; ; waitMs = everyMs) {
      await sleepUnlessAborted(waitMs, signal)
      if (signal.aborted) return
      await deleteOld().catch((error: unknown) =>
        log.warn({ error }, "retention: some rows could not be deleted; the next interval tries again"),
      )
    }
  }

  await makeDays(pool.sql, 1).catch(daysNotMade)
  const running = run()
  return {
    close: async () => {
      closing.abort()
      await running
    },
  }
}
