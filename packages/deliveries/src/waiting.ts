import type { Sql } from "@sitewire/database"
import { insertEnded } from "./ended.ts"
import { unreachableUntilNow } from "./unreachable.ts"

/**
 * Steps of a statement for the deliveries whose ids are the parameter `ids`: `waiting` are those that wait, which it locks, and
 * `locked` those that another transaction has locked. They must be skipped and returned, so that they do not delay the others. A row
 * that was deleted meanwhile counts as locked, and the repetition of the statement does not find it.
 */
export const lockWaiting = (ids: string) => `waiting as materialized (
  select * from waiting_delivery where delivery_id = any (${ids}::uuid[]) order by delivery_id for update skip locked
), locked as materialized (
  select delivery_id as id from waiting_delivery
   where delivery_id = any (${ids}::uuid[]) and delivery_id <> all (array(select delivery_id from waiting))
)`

/** Waits for the locks of what the deliveries wait for, before their rows are locked: `WaitingDelivery` in the Prisma schema says why. */
export async function awaitWaiting(sql: Sql, ids: readonly string[]): Promise<void> {
  await sql(
    "select from waiting_delivery where delivery_id = any($1::uuid[]) order by delivery_id for update",
    [ids],
  )
}

/** SQL: no attempt may be in flight. */
export const isFree = "(lease_expires_at is null or lease_expires_at < now())"

/**
 * SQL of the step `first`, which jumps from channel to channel in an index, so the cost grows with the number of channels and not of
 * deliveries. `columns`: those of the index that are read, in its order.
 */
export const firstOfChannels = (columns: string, condition: string) => `first (${columns}) as (
  (select ${columns} from waiting_delivery where ${condition} order by ${columns} limit 1)
  union all
  select next.*
    from first cross join lateral (
      select ${columns} from waiting_delivery
       where ${condition} and channel_id > first.channel_id order by ${columns} limit 1) as next
)`

/**
 * SQL that defers a delivery whose time has come, and changes no other: what was woken a little early would be attempted early, and
 * what is deferred keeps its place. The time by which the delivery is late does not count towards its retry period.
 */
export const deferIfDue = (reason: string) =>
  Object.entries({
    deferred_at: "now()",
    deferred_reason: reason,
    next_attempt_at: "null",
    period_started_at: "period_started_at + (now() - next_attempt_at)",
    unreachable_ms: unreachableUntilNow("waiting_delivery.channel_id"),
  })
    .map(
      ([column, value]) => `${column} = case when next_attempt_at <= now() then ${value} else ${column} end`,
    )
    .join(",\n         ")

/**
 * The steps of a statement that end the wait of deliveries without an attempt. Those that are pending become dead; those that waited for
 * a resend stay delivered. A step `locked` has locked their rows of waiting_delivery, and selects `delivery_id` and `since`.
 */
export const endWaiting = (error: "not-attempted" | "channel-deleted") => `ended as (
  delete from waiting_delivery where delivery_id = any (array(select delivery_id from locked))
), died as (
  update delivery set state = 'dead', finished_at = now(), dead_reason = ${error === "channel-deleted" ? "'channel_deleted'" : "null"}
   where id = any (array(select delivery_id from locked)) and state = 'pending'
  returning id, event_id, channel_id, attempts, correlation, created_at
), ${insertEnded(`
  select died.id, died.event_id, died.channel_id, 'dead'::delivery_state, died.attempts, coalesce(since, died.created_at),
         '${error}', null, died.correlation, null
    from died join locked on locked.delivery_id = died.id`)}`
