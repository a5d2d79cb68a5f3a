import {
  type NotificationEvent,
  notificationEventSchema,
  type OperatorNotification,
} from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import { notify } from "@sitewire/deliveries"
import { describeProblem } from "./describeProblem.ts"
import type { ProblemRow } from "./problemRow.ts"

type Announced = ProblemRow & { kind: NotificationEvent }

function isAnnounced(row: ProblemRow): row is Announced {
  return notificationEventSchema.safeParse(row.kind).success
}

/** Inserts a message about each of these problems, for each channel with `operator_notifications`, as a deferred delivery. */
export async function notifyOperators(sql: Sql, changed: readonly ProblemRow[]): Promise<void> {
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
    ...describeProblem(row),
    notification: row.id,
    created_at: (row.resolved_at ?? row.created_at).toISOString(),
  }
}
