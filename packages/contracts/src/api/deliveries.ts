import { z } from "zod"
import { identifierSchema } from "./identifier.ts"
import { reasonSchema } from "./jobs.ts"
import { pageQuerySchema } from "./pagination.ts"

export const deliveryStateSchema = z.enum(["pending", "delivered", "dead", "erased"])

/** Why a delivery is not attempted yet. */
export const deferralReasonSchema = z.enum(["busy", "breaker", "paused", "fault", "resend", "overdue"])
export type DeferralReason = z.infer<typeof deferralReasonSchema>

/** Why an attempt failed: a small closed set, so that it can be counted and alerted on. */
export const attemptErrorSchema = z.enum([
  "timeout",
  "dns",
  "connect",
  "tls",
  "reset",
  "status",
  "blocked-address",
  "protocol",
])
export type AttemptError = z.infer<typeof attemptErrorSchema>

export const deliveryQuerySchema = pageQuerySchema.extend({
  channel: identifierSchema.optional().meta({ description: "Only those of this channel." }),
  state: deliveryStateSchema.optional().meta({ description: "Only those in this state." }),
})

const partMs = (description: string) => z.number().nullable().meta({ description })

export const attemptSchema = z
  .object({
    number: z.int(),
    started_at: z.iso.datetime(),
    duration_ms: z.number().meta({
      description: "From the start to the answer's head, or to the end without one; all of it counts.",
    }),
    lookup_ms: partMs("Looking the name up; null for an address without a name."),
    connect_ms: partMs("Connecting; null where a kept connection was used."),
    tls_ms: partMs("The TLS handshake; null where a kept connection was used."),
    first_byte_ms: partMs("From the written request to the answer's first byte."),
    status: z.int().nullable(),
    error: attemptErrorSchema.nullable().meta({ description: "null: the attempt succeeded." }),
    detail: z.string().nullable().meta({
      description:
        "Without an answer: why, with the host and a code. Of a redirect: to which server. Else null.",
    }),
    address: z.string().nullable().meta({ description: "The network address that was called." }),
    secret_id: z.string().meta({ description: "The signing secret that was used." }),
    response_excerpt: z.string().nullable().meta({ description: "The first 1 KiB of the response's body." }),
  })
  .meta({ id: "Attempt" })

export const deliverySchema = z
  .object({
    id: z.uuid(),
    event_id: z.string().meta({ description: "`id` of the site.paid event." }),
    channel: z.string(),
    state: deliveryStateSchema,
    attempts: z.int().meta({ description: "Number of the last attempt that was recorded." }),
    next_attempt_at: z.iso.datetime().nullable().meta({
      description:
        "When the next attempt is due after one that failed. null: none is scheduled; of a new delivery the first attempt is made as soon as its event is consumed.",
    }),
    deferred_at: z.iso.datetime().nullable().meta({
      description:
        "Since when the delivery is deferred: it is attempted as soon as its channel has capacity. null: it is not.",
    }),
    deferred_reason: deferralReasonSchema.nullable().meta({
      description:
        "Why it is deferred. busy: the channel's concurrency limit is reached. breaker: its circuit breaker is open. paused: an operator has paused it. fault: the dispatcher cannot send it. resend: an operator asked to send it again. overdue: its attempt was overdue and no record carried it.",
    }),
    body_sha256: z
      .string()
      .meta({ description: "Hash of the bytes that are signed and sent, in hexadecimal." }),
    created_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable(),
  })
  .meta({
    id: "Delivery",
    description: "One site.ready to one channel. Its body holds personal data and is not shown.",
  })

export const deliveryWithAttemptsSchema = deliverySchema
  .extend({ attempt_log: z.array(attemptSchema).meta({ description: "Oldest first." }) })
  .meta({ id: "DeliveryWithAttempts" })

export const resendDeliverySchema = z
  .strictObject({ reason: reasonSchema.optional() })
  .optional()
  .meta({ id: "ResendDelivery" })

export const resendAcceptedSchema = z
  .object({
    delivery: z.uuid(),
    job: z.string().meta({ description: "Under this id is kept who asked, and why." }),
  })
  .meta({
    id: "ResendAccepted",
    description:
      "The delivery is deferred, and sent as soon as its channel has capacity: same id, same bytes.",
  })

export type Delivery = z.infer<typeof deliverySchema>
export type DeliveryWithAttempts = z.infer<typeof deliveryWithAttemptsSchema>
export type ResendAccepted = z.infer<typeof resendAcceptedSchema>
