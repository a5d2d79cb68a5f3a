import { setTimeout as sleep } from "node:timers/promises"
import type { Pool } from "@sitewire/database"
import type { Logger } from "@sitewire/runtime"
import { deleteOldStatistics } from "./deleteOldStatistics.ts"
import { hourMs, rollUp } from "./rollUp.ts"

const pollIntervalMs = 10_000

/** Counts each minute after its end. A failed step is logged once and repeated. */
export function startStatistics({ pool, log }: { pool: Pool; log: Logger }): { close(): Promise<void> } {
  const closing = new AbortController()
  const { signal } = closing
  let isFailing = false

  async function catchUp(): Promise<void> {
    for (let more = true; more && !signal.aborted; ) {
      const step = await rollUp(pool)
      more = step === "counted" || step === "settled"
    }
  }

  async function run(): Promise<void> {
    for (let nextDeletionAt = 0; !signal.aborted; ) {
      try {
        await catchUp()
        if (performance.now() >= nextDeletionAt) {
          await deleteOldStatistics(pool.sql)
          nextDeletionAt = performance.now() + hourMs
        }
        isFailing = false
      } catch (error) {
        if (!isFailing) log.warn({ error }, "statistics could not be counted; the console tries again")
        isFailing = true
      }
      await sleep(pollIntervalMs, undefined, { signal }).catch(() => {})
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
