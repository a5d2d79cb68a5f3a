import type { Sql } from "@sitewire/database"

export type KnownDelivery = {
  id: string
  event_id: string
  attempts: number
  correlation: string
}

/** The deliveries of these events that are not over. Runs only for events that came before, so for few. */
export function findDeliveries(sql: Sql, eventIds: readonly string[]): Promise<KnownDelivery[]> {
  return sql<KnownDelivery>(
    `select id, event_id, attempts, correlation from delivery
      where event_id = any($1::text[]) and state = 'pending'`,
    [eventIds],
  )
}
