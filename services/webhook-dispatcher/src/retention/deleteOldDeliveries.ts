import { setTimeout as sleep } from "node:timers/promises"
import { lowestDeliveryId } from "@sitewire/contracts"
import { oneAtATime, type Pool } from "@sitewire/database"

/** Any number that nothing else on this database locks: "sitewire" cut to four bytes. */
const lockKey = 0x73697465

export type Expired = {
  /** `busy`: another dispatcher is deleting, or this one was told to stop; what is left goes next time. */
  kind: "finished" | "busy"
  deliveries: number
  attempts: number
}

/**
 * Deletes the deliveries that were made before `before`, and their attempts, at most `batch` rows a statement with a
 * pause after each, so that no statement holds up deliveries, nor the replicas and the vacuum behind them. Ids are
 * times: a range of ids needs no index of times. A delivery that still waits for an attempt
 * is kept, however old: a retry topic or its row carries it, and the sweep finds it where neither does.
 *
 * Attempts are deleted by what is left without its delivery: one delivery may have hundreds, and this way no statement
 * grows with them, and a crash between the two leaves nothing that the next run does not find.
 */
export async function deleteOldDeliveries(settings: {
  pool: Pool
  before: Date
  batch: number
  pauseMs: number
  signal: AbortSignal
}): Promise<Expired> {
  const { pool, before, batch, pauseMs, signal } = settings
  const bound = lowestDeliveryId(before.getTime())
  const values = { deliveries: [bound, batch], attempts: [bound, batch] }
  const total = { deliveries: 0, attempts: 0 }
  for (const table of ["deliveries", "attempts"] as const) {
    let after = "00000000-0000-0000-0000-000000000000"
    for (let last = false; !last; ) {
      if (signal.aborted) return { kind: "busy", ...total }
      const deleted = await oneAtATime(pool, lockKey, async (sql) => {
        const rows = await sql<{ id: string }>(statements[table], [after, ...values[table]])
        // Inside the transaction, and so under its lock: two dispatchers do not take turns in each other's pauses.
        if (rows.length > 0) await sleep(pauseMs, undefined, { signal }).catch(() => {})
        return rows
      })
      if (deleted === null) return { kind: "busy", ...total }
      total[table] += deleted.length
      last = deleted.length < batch
      // From where the last batch ended: what was just deleted stands in the index until the vacuum comes.
      for (const { id } of deleted) if (id > after) after = id
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
