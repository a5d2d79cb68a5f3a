import { z } from "zod"
import { notificationEventSchema, notificationFields } from "../events/operatorNotification.ts"
import { oneLine, plainText } from "../values/plainText.ts"
import { timeSchema } from "../values/time.ts"
import { pageQuerySchema } from "./pagination.ts"

/** Operators are notified of the first ones. The others are shown, and monitoring has alerts for them. */
export const problemKindSchema = z
  .enum([
    ...notificationEventSchema.options,
    "channel.paused",
    "delivery.overdue",
    "event.invalid",
    "topic.behind",
    "topic.missing",
  ])
  .meta({
    description:
      "The kinds of the webhook `notification`, and: channel.paused: an operator has paused the channel. delivery.overdue: attempts are overdue by more than a minute. event.invalid: an event of the last 24 hours was invalid. topic.behind: the oldest record that a consumer group has not read is older than a minute. topic.missing: a topic does not exist.",
    examples: ["channel.failing"],
  })

export const problemStateSchema = z.enum(["open", "resolved"]).meta({
  description: "open: the problem exists. resolved: it has not been seen for five minutes.",
  examples: ["open"],
})

export const problemQuerySchema = pageQuerySchema.extend({
  state: problemStateSchema.optional(),
  kind: problemKindSchema.optional(),
  subject: plainText
    .min(1)
    .max(300)
    .optional()
    .meta({ description: "Only of the channel, host or topic with this id.", examples: ["acme"] }),
  created_after: timeSchema
    .optional()
    .meta({ description: "Only problems noticed from this time on (inclusive)." }),
  created_before: timeSchema
    .optional()
    .meta({ description: "Only problems noticed before this time (exclusive)." }),
})

const note = z.string().meta({
  description: "For other operators, with e-mail addresses masked.",
  examples: ["The partner repairs its server until Monday (ticket 4711)."],
})

export const acknowledgeProblemSchema = z
  .strictObject({
    note: oneLine(500).meta({
      description:
        "For other operators: who does what until when. It is never erased, so name no person, and it must not contain a secret. E-mail addresses in it are masked before it is stored.",
      examples: ["The partner repairs its server until Monday (ticket 4711)."],
    }),
  })
  .meta({ id: "AcknowledgeProblem" })

export const operatorProblemSchema = z
  .object({
    id: z.string().meta({ examples: ["prb_4f1c0e6a9b2d7c835e10"] }),
    kind: problemKindSchema,
    state: problemStateSchema,
    subject: notificationFields.subject,
    summary: notificationFields.summary,
    next_step: notificationFields.next_step,
    details: notificationFields.details,
    max_count: z
      .int()
      .nullable()
      .meta({
        description:
          "The most that it concerned at a time: deferred or dead deliveries, connections, invalid events or unread records. null: it has no number.",
        examples: [120],
      }),
    since: notificationFields.since,
    created_at: z.iso.datetime().meta({ description: "When the problem was noticed." }),
    resolved_at: z.iso
      .datetime()
      .nullable()
      .meta({
        description: "When it was noticed that the problem is over. null: it is not.",
        examples: ["2026-03-01T12:40:00.000Z"],
      }),
    acknowledgement: z
      .object({
        at: z.iso.datetime().meta({
          description: "When it was acknowledged.",
          examples: ["2026-03-01T12:05:00.000Z"],
        }),
        by: z.string().meta({
          description: "Id and name of the API key or user.",
          examples: ["key_5f2c8e1a9b3d (on-call)"],
        }),
        note,
      })
      .nullable()
      .meta({ description: "Who cares for it. It counts until the problem is resolved. null: nobody." }),
  })
  .meta({
    id: "OperatorProblem",
    description: "A problem of the installation, from its beginning to its end.",
  })

export type OperatorProblem = z.infer<typeof operatorProblemSchema>
export type ProblemKind = z.infer<typeof problemKindSchema>
