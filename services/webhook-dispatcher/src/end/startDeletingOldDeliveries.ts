import { makeDays, type Pool, readClock } from "@sitewire/database"
import { deleteOldDeliveries } from "@sitewire/deliveries"
import { type Logger, startRetention } from "@sitewire/runtime"

/** Retention goes on without them, because a disk that fills up is worse. */
const daysNotMade = "days of the next deliveries could not be made; the next interval tries again"

const pace = { batch: 1_000, pauseMs: 100 }

export function startDeletingOldDeliveries(settings: { pool: Pool; retentionMs: number; log: Logger }) {
  const { pool, retentionMs, log } = settings
  return startRetention({
    retentionMs,
    databaseTime: () => readClock(pool.sql),
    deleteBefore: async (before, signal) => {
      await makeDays(pool.sql).catch((error: unknown) => log.warn({ error }, daysNotMade))
      const { kind, ...deleted } = await deleteOldDeliveries({ pool, before, signal, ...pace })
      return { kind, deleted }
    },
    log,
  })
}
