import { z } from "zod"

export const notificationEventSchema = z
  .enum([
    "channel.failing",
    "delivery.dead",
    "connection.failing",
    "certificate.expiring",
    "rotation.unfinished",
  ])
  .meta({
    description:
      "channel.failing: the channel's circuit breaker is open, or a delivery has failed three times in a row. delivery.dead: deliveries of the channel became dead. connection.failing: connections whose sources are on one host have had no successful sync for 15 minutes. certificate.expiring: the certificate of the channel's address expires within 14 days. rotation.unfinished: a second signing secret of the channel is staged or retiring for 7 days.",
    examples: ["channel.failing"],
  })

export const notificationStatusSchema = z.enum(["firing", "resolved"]).meta({
  description: "firing: the problem exists. resolved: it has not been seen for five minutes.",
  examples: ["firing"],
})

/** The webhook and the management API describe a problem by the same fields. */
export const notificationFields = {
  event: notificationEventSchema,
  status: notificationStatusSchema,
  subject: z.object({ kind: z.enum(["channel", "source", "topic", "installation"]), id: z.string() }).meta({
    description:
      "What has the problem: a channel, or the host of connections' sources, with its port if that is not the usual one; of problems without a notification, also a Kafka topic or the installation. If more than 100 channels, hosts or topics have the same problem, the id `*` is for the others.",
    examples: [{ kind: "channel", id: "acme" }],
  }),
  summary: z.string().meta({
    description: "The problem in a sentence.",
    examples: ["Deliveries to the channel acme fail."],
  }),
  next_step: z.string().meta({
    description: "What to do first: a command of the CLI.",
    examples: ["sitewire channel health acme"],
  }),
  details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).meta({
    description: "Further facts, which depend on the event.",
    examples: [{ breakers_open: 1, deferred: 120, scheduled: 7 }],
  }),
  since: z.iso.datetime().meta({ description: "When the problem began, as far as is known." }),
}

/** The webhook that operators receive. Its signature and retries are those of every delivery. */
export const operatorNotificationSchema = z
  .object({
    ...notificationFields,
    notification: z.string().meta({
      description: "Id of the problem. It is the same in the message that the problem is resolved.",
      examples: ["prb_4f1c0e6a9b2d7c835e10"],
    }),
    created_at: z.iso.datetime().meta({ description: "When this message was created." }),
  })
  .meta({
    id: "OperatorNotification",
    description: "A problem that operators should know of has begun, or is resolved.",
  })

export type NotificationEvent = z.infer<typeof notificationEventSchema>
export type NotificationStatus = z.infer<typeof notificationStatusSchema>
export type OperatorNotification = z.infer<typeof operatorNotificationSchema>
