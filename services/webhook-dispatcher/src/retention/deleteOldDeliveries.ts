import { setTimeout as sleep } from "node:timers/promises"
import { lowestDeliveryId } from "@sitewire/contracts"
import { oneAtATime, type Pool } from "@sitewire/database"

/** An otherwise unused advisory lock: the first four bytes of "sitewire". */
const lockKey = 0x73697465

export type DeletedRows = {
  /** `busy`: another dispatcher is deleting, or this one is stopping. The next run deletes the rest. */
  kind: "finished" | "busy"
  deliveries: number
  attempts: number
}

/**
 * Small statements with pauses do not delay deliveries, replication or vacuum. Ids contain the time, so no
 * index of times is needed. Deliveries that wait for an attempt are retained.
 *
 * Attempts are deleted once their delivery is gone, because a delivery may have hundreds. A later run
 * continues after a crash.
 */
export async function deleteOldDeliveries(settings: {
  pool: Pool
  before: Date
  batch: number
  pauseMs: number
  signal: AbortSignal
}): Promise<DeletedRows> {
  const { pool, before, batch, pauseMs, signal } = settings
  const bound = lowestDeliveryId(before.getTime())
  const values = { deliveries: [bound, batch], attempts: [bound, batch] }
  const total = { deliveries: 0, attempts: 0 }
  for (const table of ["deliveries", "attempts"] as const) {
    let lastId = "00000000-0000-0000-0000-000000000000"
    for (let last = false; !last; ) {
      if (signal.aborted) return { kind: "busy", ...total }
      const deleted = await oneAtATime(pool, lockKey, async (sql) => {
        const rows = await sql<{ id: string }>(statements[table], [lastId, ...values[table]])
        // Inside the transaction and its lock, so that no other dispatcher deletes during the pause.
        if (rows.length > 0) await sleep(pauseMs, undefined, { signal }).catch(() => {})
        return rows
      })
      if (deleted === null) return { kind: "busy", ...total }
      total[table] += deleted.length
      last = deleted.length < batch
      // Start behind the deleted rows, which stay in the index until the next vacuum.
      for (const { id } of deleted) if (id > lastId) lastId = id
    }
  }
  return { kind: "finished", ...total }
}

const isOver = "state <> 'pending' and next_attempt_at is null and deferred_at is null"

const statements = {
  deliveries: `
delete from delivery
 where id in (select id from delivery where id >= $1 and id < $2 and ${isOver} order by id limit $3)
   and ${isOver}
returning id`,
  attempts: `
delete from attempt
 where ctid in (select ctid from attempt
                 where delivery_id >= $1 and delivery_id < $2
                   and not exists (select from delivery where delivery.id = attempt.delivery_id)
                 order by delivery_id limit $3)
returning delivery_id as id`,
}
