import {
  type NotificationEvent,
  notificationEventSchema,
  type OperatorNotification,
} from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import { notify } from "@sitewire/deliveries"
import { describeIncident } from "./describeIncident.ts"
import type { IncidentRow } from "./incidentRow.ts"

type Announced = IncidentRow & { kind: NotificationEvent }

function isAnnounced(row: IncidentRow): row is Announced {
  return notificationEventSchema.safeParse(row.kind).success
}

/** Inserts a message about each of these incidents, for each channel with `operator_notifications`, as a deferred delivery. */
export async function notifyOperators(sql: Sql, changed: readonly IncidentRow[]): Promise<void> {
  const announced = changed.filter(isAnnounced)
  if (announced.length === 0) return
  const channels = await sql<{ id: string }>("select id from channel where operator_notifications")
  const messages = announced.flatMap((row) => {
    const message = messageOf(row)
    const body = Buffer.from(JSON.stringify(message))
    return channels.map(({ id: channel }) => ({
      channel,
      eventId: `${row.id}.${message.status}.${channel}`,
      body,
    }))
  })
  if (messages.length > 0) await notify(sql, messages)
}

function messageOf(row: Announced): OperatorNotification {
  return {
    event: row.kind,
    status: row.resolved_at === null ? "firing" : "resolved",
    ...describeIncident(row),
    notification: row.id,
    created_at: (row.resolved_at ?? row.created_at).toISOString(),
  }
}
