import { z } from "zod"
import { type DeferralReason, deferralReasons } from "../messages/deferralReasons.ts"
import { httpUrl } from "../values/httpUrl.ts"
import { plainText } from "../values/plainText.ts"
import { timeSchema } from "../values/time.ts"
import { identifierSchema } from "./identifier.ts"
import { reasonSchema } from "./jobs.ts"
import { pageQuerySchema } from "./pagination.ts"

export const deliveryStateSchema = z.enum(["pending", "delivered", "dead", "cancelled", "erased"])

export const deferralReasonSchema = z.enum(Object.keys(deferralReasons) as DeferralReason[])
const whyDeferred = Object.entries(deferralReasons)
  .map(([name, why]) => `${name}: ${why}.`)
  .join(" ")

export const waitingForSchema = z.enum(["retry", ...deferralReasonSchema.options])
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
  channel: identifierSchema.optional().describe("Only deliveries to this channel."),
  state: deliveryStateSchema.optional().describe("Only deliveries in this state."),
  event_id: plainText
    .min(1)
    .max(200)
    .optional()
    .meta({
      description:
        "Only the delivery of the site.paid event with this id. It is stored when its first attempt ends. Until then, for up to 10 s, none is found, and the channel's health shows how many attempts are in flight.",
      "x-rejections": ["event_id is required"],
    }),
  reference: z
    .string()
    .max(1024)
    .optional()
    .describe("Only deliveries whose body has exactly this `reference`."),
  site_url: httpUrl
    .optional()
    .describe(
      "Only deliveries whose body has this `site_url`. The scheme and a slash at the end make no difference.",
    ),
  error: attemptErrorSchema
    .optional()
    .describe("Only deliveries whose last failed attempt has this error class."),
  waiting_for: waitingForSchema.optional().describe("Only deliveries whose next attempt waits for this."),
  job: identifierSchema.optional().describe("Only deliveries that this job was the last to resend or erase."),
  created_after: timeSchema.optional().describe("Only deliveries created at this time (inclusive) or later."),
  created_before: timeSchema.optional().describe("Only deliveries created before this time (exclusive)."),
})

const phaseMs = (description: string) => z.number().nullable().describe(description)

export const attemptSchema = z
  .object({
    number: z.int(),
    started_at: z.iso.datetime(),
    duration_ms: z
      .number()
      .describe("From the start to the response's head, or to the end of the attempt if there was none."),
    lookup_ms: phaseMs("DNS lookup. null: the host is an IP address."),
    connect_ms: phaseMs("TCP connect. null: a connection was reused."),
    tls_ms: phaseMs("TLS handshake. null: a connection was reused."),
    first_byte_ms: phaseMs("From the end of the request to the response's first byte."),
    status: z.int().nullable(),
    error: attemptErrorSchema.nullable().describe("null: the attempt succeeded."),
    detail: z
      .string()
      .nullable()
      .describe(
        "Without a response: why, with the host and a code. Of a redirect: its target server. Else null.",
      ),
    url: z.url().nullable().describe("The URL that was called: the channel's address at that time."),
    ip: z.string().nullable().describe("The IP address that was called."),
    request_headers: z
      .record(z.string(), z.string())
      .nullable()
      .describe(
        "The headers that Sitewire set, as they were sent. Only the first 8 characters of a signature are shown, because whoever has a body and its signature can send both again. null: the delivery was erased.",
      ),
    secret_id: z.string().describe("The signing secret that was used."),
    response_excerpt: z
      .string()
      .nullable()
      .describe("The first 1 KiB of the response's body. E-mail addresses are masked."),
  })
  .meta({ id: "Attempt" })

export const deliverySchema = z
  .object({
    id: z.uuid(),
    event_id: z.string().describe("`id` of the site.paid event."),
    channel: z.string(),
    state: deliveryStateSchema,
    attempts: z.int().describe("Number of the last recorded attempt."),
    last_error: attemptErrorSchema
      .nullable()
      .describe("Error class of the last failed attempt. null: no attempt has failed."),
    last_status: z
      .int()
      .nullable()
      .describe("HTTP status of the last failed attempt. null: there was no response."),
    waiting_for: waitingForSchema
      .nullable()
      .describe(
        `What the next attempt waits for. retry: the time \`next_attempt_at\`. The others are deferred (\`deferred_at\`). ${whyDeferred} null: no attempt follows.`,
      ),
    next_attempt_at: z.iso
      .datetime()
      .nullable()
      .describe("When the next retry is due. null: no retry is scheduled."),
    deferred_at: z.iso
      .datetime()
      .nullable()
      .describe(
        "Since when the delivery is deferred: it is attempted as soon as its channel has capacity. null: not deferred.",
      ),
    created_at: z.iso
      .datetime()
      .describe("When the event was published. The delivery's id contains this time."),
    finished_at: z.iso
      .datetime()
      .nullable()
      .describe(
        "When it was accepted, died, or was cancelled or erased: the newest of these. null: it is pending.",
      ),
    dead_reason: deadReasonSchema
      .nullable()
      .describe(
        "Why a dead delivery is dead, if its retry period did not end. channel-deleted: it was pending when an operator deleted its channel. null: its retry period ended, or it is not dead.",
      ),
  })
  .meta({
    id: "Delivery",
    description: "One site.ready to one channel.",
  })

export const listedDeliverySchema = deliverySchema
  .extend({
    reference: z
      .string()
      .nullable()
      .describe(
        "The `reference` of the body, with e-mail addresses masked. null: the delivery was erased, has none, or belongs to a channel that the API key may not read.",
      ),
    site_url: z.string().nullable().describe("The `site_url` of the body, as `reference`."),
  })
  .meta({ id: "ListedDelivery" })

/** Ordinary retries are fewer. Only resends cause more. */
export const newestAttempts = 20

export const deliveryWithAttemptsSchema = deliverySchema
  .extend({
    body: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe(
        "The body with e-mail addresses masked, such as `o***@example.org`. null: the delivery was erased.",
      ),
    body_bytes: z
      .int()
      .describe(
        "Length of the body as it is sent, rounded up to a multiple of 64, because the exact one reveals that of a masked address.",
      ),
    attempt_log: z.array(attemptSchema).describe(`The newest ${newestAttempts} attempts, oldest first.`),
    attempt_log_cursor: z
      .string()
      .nullable()
      .describe(
        "The `cursor` with which `GET /v1/deliveries/{id}/attempts` continues with earlier attempts. null: there are none.",
      ),
    last_job: z
      .object({
        id: z.string(),
        kind: z.enum(["resend", "erasure"]),
        requested_at: z.iso.datetime().describe("When the job was created."),
        requested_by: z.string().nullable().describe("null: it was another key, which only operators see."),
      })
      .nullable()
      .describe("The job that resent or erased the delivery last. null: none, or it was deleted."),
  })
  .meta({ id: "DeliveryWithAttempts" })

export const deliveryBodySchema = z
  .object({
    delivery: z.uuid(),
    body: z.string().describe("The body exactly as every attempt sends it, with personal data."),
    body_sha256: z.string().describe("SHA-256 of its bytes in UTF-8, in hexadecimal."),
    request_headers: z
      .record(z.string(), z.string())
      .nullable()
      .describe(
        "For a key that may resend the delivery: the headers of the newest attempt with whole signatures, without the channel's own request headers. null: for other keys, before the first attempt has ended, or if the secret that signed it has been retired.",
      ),
  })
  .meta({ id: "DeliveryBody" })

export const cancelDeliverySchema = z
  .strictObject({ reason: reasonSchema.optional() })
  .optional()
  .meta({ id: "CancelDelivery" })

export const cancelledDeliverySchema = z
  .object({
    delivery: deliverySchema,
    attempt_in_flight: z
      .enum(["none", "possible"])
      .describe(
        "possible: the next attempt was due, so it may have begun before the delivery was cancelled. The partner may then still receive it, and if it accepts it, the delivery becomes `delivered`. none: no attempt was due.",
      ),
    may_still_arrive: z.string().describe("What the partner may still receive, as a sentence."),
  })
  .meta({ id: "CancelledDelivery" })

/** Resends of one delivery. */
export const resendsPerHour = 20

export const resendDeliverySchema = z
  .strictObject({ reason: reasonSchema.optional() })
  .optional()
  .meta({ id: "ResendDelivery" })

export const resendAcceptedSchema = z
  .object({
    delivery: z.uuid(),
    job: z.string().describe("Id of the job that records who requested the resend, and why."),
  })
  .meta({
    id: "ResendAccepted",
    description:
      "The delivery is deferred, and sent with the same id and bytes as soon as its channel has capacity.",
  })

export type DeliveryBody = z.infer<typeof deliveryBodySchema>
export type CancelledDelivery = z.infer<typeof cancelledDeliverySchema>
export type DeliveryQuery = z.output<typeof deliveryQuerySchema>
export type Delivery = z.infer<typeof deliverySchema>
export type ListedDelivery = z.infer<typeof listedDeliverySchema>
export type Attempt = z.infer<typeof attemptSchema>
export type DeliveryWithAttempts = z.infer<typeof deliveryWithAttemptsSchema>
export type ResendAccepted = z.infer<typeof resendAcceptedSchema>
