import { z } from "zod"
import { notificationEventSchema, notificationFields } from "../events/operatorNotification.ts"
import { oneLine, plainText } from "../values/plainText.ts"
import { timeSchema } from "../values/time.ts"
import { pageQuerySchema, pageSchema } from "./pagination.ts"

/** Operators are notified of the first ones. The others are shown, and monitoring has alerts for them. */
export const incidentKindSchema = z
  .enum([
    ...notificationEventSchema.options,
    "channel.paused",
    "delivery.overdue",
    "event.invalid",
    "topic.behind",
    "topic.missing",
    "sync.overdue",
    "dispatcher.missing",
    "scheduler.missing",
    "kafka.unavailable",
    "postgres.unavailable",
  ])
  .describe(
    "The kinds of the webhook `notification`, and: channel.paused: an operator has paused the channel. delivery.overdue: attempts are overdue by more than a minute. event.invalid: an event of the last 24 hours was invalid. topic.behind: the oldest record that a consumer group has not read is older than a minute. topic.missing: a topic does not exist. sync.overdue: syncs are due for more than a minute. dispatcher.missing, scheduler.missing: none is running. kafka.unavailable, postgres.unavailable: the console cannot reach it; the latter is stored as soon as Postgres responds.",
  )

export const incidentStateSchema = z
  .enum(["open", "resolved"])
  .describe("open: the incident exists. resolved: it has ended.")

export const incidentQuerySchema = pageQuerySchema.extend({
  state: incidentStateSchema.optional(),
  kind: incidentKindSchema.optional(),
  subject: plainText.min(1).max(300).optional().describe("Only of the channel, host or topic with this id."),
  created_after: timeSchema.optional().describe("Only incidents noticed from this time on (inclusive)."),
  created_before: timeSchema.optional().describe("Only incidents noticed before this time (exclusive)."),
})

const note = z.string().describe("For other operators, with e-mail addresses masked.")

export const acknowledgeIncidentSchema = z
  .strictObject({
    note: oneLine(500).describe(
      "For other operators: who does what until when. It is never erased, so name no person, and it must not contain a secret. E-mail addresses in it are masked before it is stored.",
    ),
  })
  .meta({ id: "AcknowledgeIncident" })

export const incidentSchema = z
  .object({
    id: z.string(),
    kind: incidentKindSchema,
    state: incidentStateSchema,
    subject: notificationFields.subject,
    urgency: notificationFields.urgency,
    summary: notificationFields.summary,
    detail: notificationFields.detail,
    next_step: notificationFields.next_step,
    command: notificationFields.command,
    page: notificationFields.page,
    details: notificationFields.details,
    max_count: z
      .int()
      .nullable()
      .describe(
        "The most that it concerned at a time: waiting or dead deliveries, connections, invalid events or unread records. null: it has no number.",
      ),
    since: notificationFields.since,
    created_at: z.iso.datetime().describe("When the incident was noticed."),
    resolved_at: z.iso
      .datetime()
      .nullable()
      .describe(
        "When it ended, or was seen last. An incident that returns within five minutes is open again. null: it has not ended.",
      ),
    acknowledgement: z
      .object({
        at: z.iso.datetime().describe("When it was acknowledged."),
        by: z.string().describe("Id and name of the API key or user."),
        note,
      })
      .nullable()
      .describe("Who cares for it. It counts until the incident is resolved. null: nobody."),
  })
  .meta({
    id: "Incident",
    description: "An incident of the installation, from its beginning to its end.",
  })

export const incidentPageSchema = pageSchema(incidentSchema)
  .extend({
    channels: z
      .string()
      .nullable()
      .describe("Whether the partners fail or the installation does. null: no channel fails."),
  })
  .meta({ id: "IncidentPage" })

export type Incident = z.infer<typeof incidentSchema>
export type IncidentKind = z.infer<typeof incidentKindSchema>
