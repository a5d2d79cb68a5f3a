import { z } from "zod"
import { identifierSchema } from "./identifier.ts"
import { reasonSchema } from "./jobs.ts"
import { pageQuerySchema } from "./pagination.ts"

export const deliveryStateSchema = z.enum(["pending", "delivered", "dead", "erased"])

/**
 * Why a delivery is deferred. `busy`: its channel has no capacity. `breaker`: the channel's circuit breaker
 * is open. `fault`: the dispatcher cannot send it. `paused`: the channel is paused, or was and is resuming.
 * `resend`: a resend was requested. `overdue`: its attempt was overdue, because its Kafka record was lost. `rate`:
 * its channel has a maximum rate.
 */
export const deferralReasonSchema = z.enum([
  "busy",
  "breaker",
  "paused",
  "fault",
  "resend",
  "overdue",
  "rate",
])
export type DeferralReason = z.infer<typeof deferralReasonSchema>

export const deadReasonSchema = z.enum(["channel-deleted"])

/** Why an attempt failed. The set is closed, so that metrics and alerts can count each reason. */
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
  channel: identifierSchema.optional().meta({ description: "Only deliveries to this channel." }),
  state: deliveryStateSchema.optional().meta({ description: "Only deliveries in this state." }),
})

const phaseMs = (description: string) => z.number().nullable().meta({ description })

export const attemptSchema = z
  .object({
    number: z.int(),
    started_at: z.iso.datetime(),
    duration_ms: z.number().meta({
      description: "From the start to the response's head, or to the end of the attempt if there was none.",
    }),
    lookup_ms: phaseMs("DNS lookup. null: the host is an IP address."),
    connect_ms: phaseMs("TCP connect. null: a connection was reused."),
    tls_ms: phaseMs("TLS handshake. null: a connection was reused."),
    first_byte_ms: phaseMs("From the end of the request to the response's first byte."),
    status: z.int().nullable(),
    error: attemptErrorSchema.nullable().meta({ description: "null: the attempt succeeded." }),
    detail: z.string().nullable().meta({
      description:
        "Without a response: why, with the host and a code. Of a redirect: its target server. Else null.",
    }),
    ip: z.string().nullable().meta({ description: "The IP address that was called." }),
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
    attempts: z.int().meta({ description: "Number of the last recorded attempt." }),
    next_attempt_at: z.iso.datetime().nullable().meta({
      description:
        "When the next retry is due. null: no retry is scheduled. The first attempt needs no schedule: it is made when the event is consumed.",
    }),
    deferred_at: z.iso.datetime().nullable().meta({
      description:
        "Since when the delivery is deferred: it is attempted as soon as its channel has capacity. null: not deferred.",
    }),
    deferred_reason: deferralReasonSchema.nullable().meta({
      description:
        "Why it is deferred. busy: the channel's concurrency limit is reached. breaker: its circuit breaker is open. paused: an operator has paused it. fault: the dispatcher cannot send it. resend: an operator requested a resend. overdue: its attempt was overdue and no Kafka record would have caused it. rate: the channel has a maximum rate.",
    }),
    body_sha256: z
      .string()
      .meta({ description: "SHA-256 of the bytes that are signed and sent, in hexadecimal." }),
    created_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable(),
    dead_reason: deadReasonSchema.nullable().meta({
      description:
        "Why a dead delivery is dead, if its retry period did not end. channel-deleted: it was pending when an operator deleted its channel. null: its retry period ended, or it is not dead.",
    }),
  })
  .meta({
    id: "Delivery",
    description: "One site.ready to one channel. Its body contains personal data and is not shown.",
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
    job: z.string().meta({ description: "Id of the job that records who requested the resend, and why." }),
  })
  .meta({
    id: "ResendAccepted",
    description:
      "The delivery is deferred, and sent with the same id and bytes as soon as its channel has capacity.",
  })

export type Delivery = z.infer<typeof deliverySchema>
export type DeliveryWithAttempts = z.infer<typeof deliveryWithAttemptsSchema>
export type ResendAccepted = z.infer<typeof resendAcceptedSchema>
