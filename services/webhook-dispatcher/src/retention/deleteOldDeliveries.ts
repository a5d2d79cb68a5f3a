import { setTimeout as sleep } from "node:timers/promises"
import { lowestDeliveryId } from "@sitewire/contracts"
import { dropDays, oneAtATime, type Pool, type Sql } from "@sitewire/database"

/** The key of the advisory lock that lets only one dispatcher delete at a time. */
const lockKey = 0x73697465

export type DeletedRows = {
  /** `busy`: another dispatcher is deleting, or this one is stopping. */
  kind: "finished" | "busy"
  events: number
  days: number
  /** One by one, and not with their day. */
  deliveries: number
  attempts: number
}

type Settings = { pool: Pool; before: Date; batch: number; pauseMs: number; signal: AbortSignal }

const dayMs = 86_400_000

/**
 * Deletes the deliveries of days that ended before `before`, except those that wait for an attempt. Whole days are dropped.
 * Where a delivery waits, the others are deleted one by one, and so are deliveries of days that were never made.
 *
 * Their events are forgotten first: in between, a repeated event makes a second delivery, and is not lost.
 * Statements are small, with pauses, so that they do not delay deliveries, replication or vacuum.
 */
export async function deleteOldDeliveries(settings: Settings): Promise<DeletedRows> {
  const total = { events: 0, days: 0, deliveries: 0, attempts: 0 }
  const before = new Date(Math.floor(settings.before.getTime() / dayMs) * dayMs)
  const deleteRows = (kind: keyof typeof deletions) =>
    walk({ ...settings, before }, deletions[kind], (count) => {
      total[kind] += count
    })
  const drop = () =>
    dropDays({
      pool: settings.pool,
      drop: "drop_delivery_day",
      lockKey,
      before,
      onDropped: () => total.days++,
    })
  const isFinished =
    (await deleteRows("events")) &&
    (await drop()) &&
    (await deleteRows("deliveries")) &&
    (await deleteRows("attempts"))
  return { kind: isFinished ? "finished" : "busy", ...total }
}

/** Calls `deletion` until it finds no more rows. False: another dispatcher deletes, or this one is stopping. */
async function walk(
  { pool, before, batch, pauseMs, signal }: Settings,
  deletion: Deletion,
  onDeleted: (count: number) => void,
): Promise<boolean> {
  const bound = lowestDeliveryId(before.getTime())
  for (let after: string | null = "00000000-0000-0000-0000-000000000000"; after !== null; ) {
    if (signal.aborted) return false
    const range: Range = { after, bound, batch }
    const step = await oneAtATime(pool, lockKey, async (sql) => {
      const done = await deletion(sql, range)
      // The pause is inside the transaction, so that the lock is held and no other dispatcher deletes meanwhile.
      if (done.last !== null) await sleep(pauseMs, undefined, { signal }).catch(() => {})
      return done
    })
    if (step === null) return false
    onDeleted(step.deleted)
    after = step.last
  }
  return true
}

/** Of the rows whose delivery's id is above `after` and below `bound`, the next ones, `batch` at most. */
type Range = { after: string; bound: string; batch: number }
/** `last`: the highest id that was read, from which the next call continues. Null: there are no more rows. */
type Deletion = (sql: Sql, range: Range) => Promise<{ deleted: number; last: string | null }>

const waits = "exists (select from waiting_delivery where waiting_delivery.delivery_id = delivery.id)"
const next = "from delivery where id > $1 and id < $2"

const deletions: Record<"events" | "deliveries" | "attempts", Deletion> = {
  async events(sql, { after, bound, batch }) {
    const [row] = await sql<{ deleted: number; last: string | null }>(
      `with old as materialized (
         select id, event_id, ${waits} as waits ${next} order by id limit $3
       ), gone as (
         -- With the delivery's id, because an event that was forgotten and published again has a newer delivery.
         delete from known_event where event_id = any (array(select event_id from old where not waits))
           and delivery_id = any (array(select id from old where not waits)) returning 1
       )
       select (select count(*)::int from gone) as deleted, (select id from old order by id desc limit 1) as last`,
      [after, bound, batch],
    )
    return row ?? { deleted: 0, last: null }
  },
  // The rows are locked first, and read after that: a resend that was requested meanwhile has then either been committed, so
  // that its delivery waits, or finds no delivery.
  async deliveries(sql, { after, bound, batch }) {
    const locked = await sql<{ id: string }>(
      `select id ${next} and state <> 'pending' and not ${waits} order by id limit $3 for update of delivery skip locked`,
      [after, bound, batch],
    )
    const ids = locked.map(({ id }) => id)
    if (ids.length === 0) return { deleted: 0, last: null }
    const deleted = await sql(
      `delete from delivery where id = any($1::uuid[]) and not ${waits} returning id`,
      [ids],
    )
    return { deleted: deleted.length, last: ids.at(-1) ?? null }
  },
  // Batches of their own, because one delivery may have hundreds. The next one begins with the last delivery of this one.
  async attempts(sql, { after, bound, batch }) {
    const deleted = await sql<{ id: string }>(
      `with old as materialized (
         select delivery_id, number, started_at from attempt
          where delivery_id >= $1 and delivery_id < $2
            and not exists (select from delivery where delivery.id = attempt.delivery_id)
          order by delivery_id limit $3
       )
       delete from attempt using old
        where attempt.delivery_id = old.delivery_id and attempt.number = old.number and attempt.started_at = old.started_at
       returning old.delivery_id as id`,
      [after, bound, batch],
    )
    const ids = deleted.map(({ id }) => id).sort()
    return { deleted: ids.length, last: ids.at(-1) ?? null }
  },
}
