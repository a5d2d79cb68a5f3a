import { notificationQuerySchema, notificationSchema, pageSchema } from "@sitewire/contracts"
import { describeNotification } from "../../notifications/describeNotification.ts"
import { type NotificationRow, notificationColumns } from "../../notifications/notificationRow.ts"
import { defineRoute } from "../defineRoute.ts"
import { newestFirst, readPage } from "../pagination.ts"
import { ok } from "../response.ts"

export const listNotifications = defineRoute({
  method: "get",
  path: "/v1/notifications",
  operation: "listNotifications",
  summary: "List operator notifications, newest first",
  allow: { read: "all" },
  description:
    "Problems that operators are notified of: those that exist (`firing`), and those of the past (`resolved`). Each message is a delivery to every channel with `operator_notifications`.",
  query: notificationQuerySchema,
  success: {
    status: 200,
    description: "A page of notifications.",
    schema: pageSchema(notificationSchema).meta({ id: "NotificationPage" }),
  },
  async handle({ sql }, { query }) {
    const page = await readPage(query, {
      key: newestFirst.key,
      keyOf: (row: NotificationRow) => newestFirst.keyOf({ createdAt: row.created_at, id: row.id }),
      read(after, count) {
        const values: unknown[] = []
        const value = (one: unknown) => `$${values.push(one)}`
        const conditions = ["true"]
        if (query.status !== undefined) {
          conditions.push(query.status === "firing" ? "resolved_at is null" : "resolved_at is not null")
        }
        if (query.event !== undefined) conditions.push(`event = ${value(query.event)}`)
        if (query.subject !== undefined) conditions.push(`subject_id = ${value(query.subject)}`)
        if (after) conditions.push(`(created_at, id) < (${value(after[0])}::timestamptz, ${value(after[1])})`)
        return sql<NotificationRow>(
          `select ${notificationColumns} from notification
            where ${conditions.join(" and ")} order by created_at desc, id desc limit ${count}`,
          values,
        )
      },
    })
    if (page.kind === "problem") return page
    const data = page.rows.map((row) => ({
      id: row.id,
      ...describeNotification(row),
      created_at: row.created_at.toISOString(),
      resolved_at: row.resolved_at?.toISOString() ?? null,
    }))
    return ok({ data, next_cursor: page.next_cursor })
  },
})
