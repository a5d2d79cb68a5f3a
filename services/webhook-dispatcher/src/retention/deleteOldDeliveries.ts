import { setTimeout as sleep } from "node:timers/promises"
import { lowestDeliveryId } from "@sitewire/contracts"
import { oneAtATime, type Pool, type Sql } from "@sitewire/database"

/** The key of the advisory lock that lets only one dispatcher delete at a time. */
const lockKey = 0x73697465

export type DeletedRows = {
  /** `busy`: another dispatcher is deleting, or this one is stopping. */
  kind: "finished" | "busy"
  deliveries: number
  attempts: number
}

/**
 * Deletes deliveries older than `before`, except those that wait for an attempt. Statements are small, with
 * pauses, so that they do not delay deliveries, replication or vacuum. Ids contain the time, so no index of
 * times is needed.
 *
 * Attempts are deleted after their deliveries, in batches of their own, because one delivery may have
 * hundreds.
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
        const rows = await deletions[table](sql, [lastId, ...values[table]])
        // The pause is inside the transaction, so that the lock is held and no other dispatcher deletes
        // meanwhile.
        if (rows.length > 0) await sleep(pauseMs, undefined, { signal }).catch(() => {})
        return rows
      })
      if (deleted === null) return { kind: "busy", ...total }
      total[table] += deleted.length
      last = deleted.length < batch
      // The next statement starts behind the deleted rows, because the index contains them until the next
      // vacuum.
      for (const { id } of deleted) if (id > lastId) lastId = id
    }
  }
  return { kind: "finished", ...total }
}

type Deletion = (sql: Sql, values: unknown[]) => Promise<{ id: string }[]>

const deletions: Record<"deliveries" | "attempts", Deletion> = {
  // The rows are locked first, and read after that: a resend that was requested meanwhile has then either been committed, so
  // that its delivery waits, or finds no delivery.
  async deliveries(sql, values) {
    const locked = await sql<{ id: string }>(
      `select id from delivery where id >= $1 and id < $2 and ${isOver} order by id limit $3 for update skip locked`,
      values,
    )
    if (locked.length === 0) return []
    return sql(`delete from delivery where id = any($1::uuid[]) and ${isOver} returning id`, [
      locked.map(({ id }) => id),
    ])
  },
  attempts: (sql, values) =>
    sql(
      `delete from attempt
        where ctid in (select ctid from attempt
                        where delivery_id >= $1 and delivery_id < $2
                          and not exists (select from delivery where delivery.id = attempt.delivery_id)
                        order by delivery_id limit $3)
       returning delivery_id as id`,
      values,
    ),
}

const isOver = `state <> 'pending'
   and not exists (select from waiting_delivery where waiting_delivery.delivery_id = delivery.id)`
