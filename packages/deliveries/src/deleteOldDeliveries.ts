import { beforeFirstId, lowestDeliveryId } from "@sitewire/contracts"
import { dropDay, named, type OldRows, oneAtATime, readClock, type Sql } from "@sitewire/database"
import { sleepUnlessAborted } from "@sitewire/runtime"

/** The key of the advisory lock. */
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

const dayMs = 86_400_000

/** What is stored now began no longer ago: `openPool` limits a statement to 30 s. */
const statementsEndWithinMs = 60_000

/**
 * Deletes the deliveries of days that ended before `before`, except those that wait for an attempt. Whole days are dropped, after their
 * events are forgotten: a repeated event then makes a second delivery, and is not lost. Where a delivery waits, and of days that were
 * never made, the others are deleted one by one with their events.
 *
 * Statements are small, with pauses, so that they do not delay deliveries, replication or vacuum.
 */
export async function deleteOldDeliveries(settings: OldRows): Promise<DeletedRows> {
  const total = { events: 0, days: 0, deliveries: 0, attempts: 0 }
  const { pool } = settings
  const before = new Date(Math.floor(settings.before.getTime() / dayMs) * dayMs)
  const add = (step: Partial<typeof total>) => {
    for (const [name, count] of Object.entries(step)) total[name as keyof typeof total] += count
  }
  for (const day of await readDays(pool.sql, before)) {
    const dropped = await dropWithEvents(settings, day, add)
    if (dropped === "busy") return { kind: "busy", ...total }
    if (dropped === "dropped") total.days++
  }
  const old = { ...settings, after: beforeFirstId, bound: lowestDeliveryId(before.getTime()) }
  const isFinished = (await walk(old, deleteDeliveries, add)) && (await walk(old, deleteAttempts, add))
  return { kind: isFinished ? "finished" : "busy", ...total }
}

async function readDays(sql: Sql, before: Date): Promise<string[]> {
  const days = await sql<{ day: string }>("select day::text from days_before('delivery', $1) as day", [
    before,
  ])
  return days.map(({ day }) => day)
}

/**
 * `used`: a delivery waits, waited when its event would have been forgotten, or was stored since. If the day were dropped then, its
 * event would stay known for ever.
 */
async function dropWithEvents(
  settings: OldRows,
  day: string,
  add: (step: Step["deleted"]) => void,
): Promise<"dropped" | "used" | "busy"> {
  const { pool } = settings
  const storedAfter = new Date((await readClock(pool.sql)).getTime() - statementsEndWithinMs)
  const start = Date.parse(`${day}T00:00:00Z`)
  const range = { ...settings, after: lowestDeliveryId(start), bound: lowestDeliveryId(start + dayMs) }
  let waits = false
  const forget: Deletion = async (sql, step) => {
    const { waiting, ...done } = await forgetEvents(sql, step)
    waits ||= waiting
    return waits ? { ...done, last: null } : done
  }
  if (!(await walk(range, forget, add))) return "busy"
  if (waits) return "used"
  const dropped = await dropDay(pool, lockKey, async (sql) => {
    const [row] = await sql<{ dropped: boolean }>("select drop_delivery_day($1, $2) as dropped", [
      day,
      storedAfter,
    ])
    return row?.dropped === true
  })
  if (dropped === null) return "busy"
  return dropped ? "dropped" : "used"
}

/** Of the rows whose delivery's id is above `after` and below `bound`, the next ones, `batch` at most. */
type Range = { after: string; bound: string; batch: number }
/** `last`: the highest id that was read, from which the next call continues. Null: there are no more rows. */
type Step = { deleted: Partial<Record<"events" | "deliveries" | "attempts", number>>; last: string | null }
type Deletion = (sql: Sql, range: Range) => Promise<Step>

/** Calls `deletion` until it finds no more rows. False: another dispatcher deletes, or this one is stopping. */
async function walk(
  { pool, after, bound, batch, pauseMs, signal }: OldRows & Range,
  deletion: Deletion,
  add: (deleted: Step["deleted"]) => void,
): Promise<boolean> {
  for (let from: string | null = after; from !== null; ) {
    if (signal.aborted) return false
    const range: Range = { after: from, bound, batch }
    const step = await oneAtATime(pool, lockKey, async (sql) => {
      const done = await deletion(sql, range)
      const any = Object.values(done.deleted).some((count) => count > 0)
      // The pause is inside the transaction, so that the lock is held and no other dispatcher deletes meanwhile.
      if (any && done.last !== null) await sleepUnlessAborted(pauseMs, signal)
      return done
    })
    if (step === null) return false
    add(step.deleted)
    from = step.last
  }
  return true
}

const waits =
  "(state = 'pending' or exists (select from waiting_delivery where waiting_delivery.delivery_id = delivery.id))"
const next = "from delivery where id > $after and id < $bound"

async function forgetEvents(sql: Sql, range: Range): Promise<Step & { waiting: boolean }> {
  const [row] = await sql<{ events: number; last: string | null; waiting: boolean }>(
    ...named(
      `with old as materialized (
       select id, event_id, ${waits} as waits ${next} order by id limit $batch
     ), gone as (
       -- With the delivery's id, because an event that was forgotten and published again has a newer delivery.
       delete from known_event where event_id = any (array(select event_id from old where not waits))
         and delivery_id = any (array(select id from old where not waits)) returning 1
     )
     select (select count(*)::int from gone) as events, (select id from old order by id desc limit 1) as last,
            exists (select from old where waits) as waiting`,
      range,
    ),
  )
  return { deleted: { events: row?.events ?? 0 }, last: row?.last ?? null, waiting: row?.waiting ?? false }
}

/**
 * The rows are locked first, and read after that: a resend that was requested meanwhile has either been committed, so that its delivery
 * waits, or finds none. Their events are forgotten in the same transaction.
 */
async function deleteDeliveries(sql: Sql, range: Range): Promise<Step> {
  const locked = await sql<{ id: string }>(
    ...named(
      `select id ${next} and not ${waits} order by id limit $batch for update of delivery skip locked`,
      range,
    ),
  )
  const ids = locked.map(({ id }) => id)
  if (ids.length === 0) return { deleted: {}, last: null }
  const [row] = await sql<{ deliveries: number; events: number }>(
    `with deleted as (
       delete from delivery where id = any($1::uuid[]) and not ${waits} returning id, event_id
     ), gone as (
       delete from known_event where event_id = any (array(select event_id from deleted))
         and delivery_id = any (array(select id from deleted)) returning 1
     )
     select (select count(*)::int from deleted) as deliveries, (select count(*)::int from gone) as events`,
    [ids],
  )
  return { deleted: { ...row }, last: ids.at(-1) ?? null }
}

/** Batches of their own, because one delivery may have hundreds. The next one begins with the last delivery of this one. */
async function deleteAttempts(sql: Sql, range: Range): Promise<Step> {
  const deleted = await sql<{ id: string }>(
    ...named(
      `with old as materialized (
       select delivery_id, number, started_at from attempt
        where delivery_id >= $after and delivery_id < $bound
          and not exists (select from delivery where delivery.id = attempt.delivery_id)
        order by delivery_id limit $batch
     )
     delete from attempt using old
      where attempt.delivery_id = old.delivery_id and attempt.number = old.number and attempt.started_at = old.started_at
     returning old.delivery_id as id`,
      range,
    ),
  )
  const ids = deleted.map(({ id }) => id).sort()
  return { deleted: { attempts: ids.length }, last: ids.at(-1) ?? null }
}
