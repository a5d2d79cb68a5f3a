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
      "channel.failing: attempts to the channel have failed three times in a row, or one was a delivery's last. delivery.dead: deliveries of the channel became dead. connection.failing: connections whose sources are on one host have failed for two minutes. certificate.expiring: the certificate of the channel's address expires within 14 days. rotation.unfinished: a second signing secret of the channel is staged or retiring for 7 days.",
    examples: ["channel.failing"],
  })

export const notificationStatusSchema = z.enum(["firing", "resolved"]).meta({
  description: "firing: the incident exists. resolved: it ended five minutes ago, and did not return.",
  examples: ["firing"],
})

/** The webhook and the management API describe an incident by the same fields. */
export const notificationFields = {
  event: notificationEventSchema,
  status: notificationStatusSchema,
  subject: z.object({ kind: z.enum(["channel", "source", "topic", "installation"]), id: z.string() }).meta({
    description:
      "What has the incident: a channel, or the host of connections' sources, with its port if that is not the usual one; of incidents without a notification, also a Kafka topic or the installation. If more than 100 channels, hosts or topics have the same incident, the id `*` is for the others.",
    examples: [{ kind: "channel", id: "acme" }],
  }),
  summary: z.string().meta({
    description: "The incident in a sentence.",
    examples: ["Deliveries to the channel acme fail."],
  }),
  detail: z.string().meta({
    description:
      "Why, and how much it concerns. Empty: there is no more to say, or the incident is resolved.",
    examples: ["HTTP 503. 127 deliveries wait. 2 deliveries are dead."],
  }),
  urgency: z
    .int()
    .min(1)
    .max(3)
    .meta({
      description:
        "1: a fault of the installation. 2: something of a partner or a publisher fails, or is lost. 3: nothing fails yet.",
      examples: [2],
    }),
  next_step: z
    .string()
    .meta({ description: "What to do first.", examples: ["See why, and tell the partner."] }),
  command: z.string().meta({
    description: "The command of the CLI for it.",
    examples: ["sitewire channel health acme"],
  }),
  page: z
    .string()
    .nullable()
    .meta({
      description: "The path in the web console for it. null: there is none.",
      examples: ["/channels/acme"],
    }),
  details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).meta({
    description: "Further facts, which depend on the event.",
    examples: [{ reason: "HTTP 503", waiting: 127, dead: 2 }],
  }),
  since: z.iso.datetime().describe("When the incident began, as far as is known."),
}

/** The webhook that operators receive. Its signature and retries are those of every delivery. */
export const operatorNotificationSchema = z
  .object({
    ...notificationFields,
    notification: z.string().meta({
      description: "Id of the incident. It is the same in the message that the incident is resolved.",
      examples: ["inc_4f1c0e6a9b2d7c835e10"],
    }),
    created_at: z.iso.datetime().describe("When this message was created."),
  })
  .meta({
    id: "OperatorNotification",
    description: "An incident that operators should know of has begun, or is resolved.",
  })

export type NotificationEvent = z.infer<typeof notificationEventSchema>
export type NotificationStatus = z.infer<typeof notificationStatusSchema>
export type OperatorNotification = z.infer<typeof operatorNotificationSchema>
