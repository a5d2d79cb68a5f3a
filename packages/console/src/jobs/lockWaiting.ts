import type { Sql } from "@sitewire/database"

/** Locks what the deliveries wait for, before their rows: the order that `WaitingDelivery` in the Prisma schema describes. */
export async function lockWaiting(sql: Sql, ids: readonly string[]): Promise<void> {
  await sql(
    "select from waiting_delivery where delivery_id = any($1::uuid[]) order by delivery_id for update",
    [ids],
  )
}
