import { setTimeout as sleep } from "node:timers/promises"
import type { Pool } from "@sitewire/database"
import type { Logger } from "@sitewire/runtime"
import { updateNotifications } from "./updateNotifications.ts"

/** Looks for problems all the time. A failed look is logged once and repeated. */
export function startNotifications(settings: { pool: Pool; intervalMs: number; log: Logger }): {
  close(): Promise<void>
} {
  const { pool, intervalMs, log } = settings
  const closing = new AbortController()
  const { signal } = closing
  let isFailing = false

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        for (const { id, event, subject_id, resolved_at } of await updateNotifications(pool)) {
          const about = { notification: id, event, subject: subject_id }
          if (resolved_at === null) log.warn(about, "a problem began; operators are notified")
          else log.info(about, "a problem is resolved; operators are notified")
        }
        isFailing = false
      } catch (error) {
        if (!isFailing) log.warn({ error }, "problems could not be searched for; the console tries again")
        isFailing = true
      }
      await sleep(intervalMs, undefined, { signal }).catch(() => {})
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
