import type { Sql } from "@sitewire/database"

export type UnattemptedDelivery = {
  id: string
  event_id: string
  correlation: string
}

export function findUnattempted(sql: Sql, eventIds: readonly string[]): Promise<UnattemptedDelivery[]> {
  return sql<UnattemptedDelivery>(
    `select id, event_id, correlation from delivery
      where event_id = any($1::text[]) and state = 'pending' and attempts = 0 and deferred_at is null`,
    [eventIds],
  )
}
