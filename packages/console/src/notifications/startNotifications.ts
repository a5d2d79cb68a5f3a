import type { Pool } from "@sitewire/database"
import { type Logger, repeatUntilClosed } from "@sitewire/runtime"
import { updateNotifications } from "./updateNotifications.ts"

/** Looks for problems all the time. */
export function startNotifications(settings: { pool: Pool; intervalMs: number; log: Logger }): {
  close(): Promise<void>
} {
  const { pool, intervalMs, log } = settings
  return repeatUntilClosed({
    async step() {
      for (const { id, event, subject_id, resolved_at } of await updateNotifications(pool)) {
        const about = { notification: id, event, subject: subject_id }
        if (resolved_at === null) log.warn(about, "a problem began; operators are notified")
        else log.info(about, "a problem is resolved; operators are notified")
      }
    },
    intervalMs,
    failed: "problems could not be searched for; the console tries again",
    log,
  })
}
