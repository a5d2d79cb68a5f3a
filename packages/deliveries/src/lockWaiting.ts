import type { Sql } from "@sitewire/database"

/**
 * Steps of a statement for a batch of deliveries, whose ids are the parameter `ids`: `waiting` are those that wait, locked, and
 * `locked` those whose rows another transaction has locked. They must be skipped and returned, so that they do not delay the
 * others. A row that was deleted meanwhile counts as locked, and the repetition of the statement does not find it.
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

/** SQL: no attempt may be in flight, because nobody has claimed the row, or its lease has ended. */
export const isFree = "(lease_expires_at is null or lease_expires_at < now())"
