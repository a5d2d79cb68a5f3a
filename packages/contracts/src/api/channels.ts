import { z } from "zod"
import { emailAddressSchema } from "../values/emailAddress.ts"
import { calledUrl } from "../values/httpUrl.ts"
import { plainText } from "../values/plainText.ts"
import { booleanParameterSchema } from "./booleanParameter.ts"
import { attemptErrorSchema } from "./deliveries.ts"
import { identifierSchema } from "./identifier.ts"
import { pageQuerySchema } from "./pagination.ts"
import { secretTestSchema } from "./receiverChecks.ts"
import { requestHeadersSchema, shownRequestHeaders } from "./requestHeaders.ts"

/** What a channel has, and what a request may set. */
const settings = {
  standard_webhooks: z
    .boolean()
    .describe(
      "Also send webhook-id, webhook-timestamp and webhook-signature (standardwebhooks.com). During a rotation the signature is by both secrets. Default of a new channel: true.",
    ),
  send_traceparent: z
    .boolean()
    .describe(
      "Send the W3C header traceparent with attempts whose trace is recorded, so that the partner can continue the trace.",
    ),
  max_per_second: z
    .int()
    .min(1)
    .max(1_000)
    .nullable()
    .describe(
      "The most attempts per second, of all dispatchers together and evenly spread. Further deliveries are deferred with the reason rate. null: no maximum.",
    ),
  operator_notifications: z
    .boolean()
    .describe(
      "Send operator notifications to this channel. Its owner learns which channels and sources of connections have incidents.",
    ),
  partner_may_change_address: z
    .boolean()
    .describe(
      "API keys with the scope `channel:<id>` may change the address, to one whose receiver answers a challenge. Requests to the channel then go to public addresses and those in PARTNER_ALLOWED_RANGES only, and not to those in ALLOWED_RANGES.",
    ),
}

const optional = z
  .object({
    ...settings,
    contact: emailAddressSchema.nullable().meta({
      description:
        "The partner's e-mail address, to which is written when the channel fails and when it has recovered. Erasures delete it. null: nobody is written to.",
      examples: ["webhooks@partner.example"],
      "x-rejections": ["no e-mail is sent", "must be one e-mail address"],
    }),
  })
  .partial().shape

export const createChannelSchema = z
  .strictObject({
    id: identifierSchema.optional().describe("An id of your choice. Default: generated."),
    address: calledUrl.describe(
      "The partner's notification address: https, on a public host. Stored in normalised form.",
    ),
    request_headers: requestHeadersSchema
      .optional()
      .describe(
        "Headers of each request to the receiver, such as a token for a gateway in front of it. Their values are stored encrypted and never shown.",
      ),
    ...optional,
  })
  .meta({ id: "CreateChannel" })

const changes = {
  address: createChannelSchema.shape.address.optional(),
  request_headers: requestHeadersSchema
    .optional()
    .describe(
      "Replaces all request headers; an empty list removes them. Required if the channel has some and the new address has another scheme, host or port, because they would be sent there.",
    ),
  ...optional,
}

export const changeChannelSchema = z
  .strictObject(changes)
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    error: `must contain ${Object.keys(changes)
      .join(", ")
      .replace(/, (?=\w+$)/, " or ")}`,
  })
  .meta({ id: "ChangeChannel", minProperties: 1, "x-rejections": ["request_headers is required"] })

export const changeAddressSchema = z
  .strictObject({
    address: calledUrl.meta({
      description: "The new notification address: https, on a public host. Stored in normalised form.",
      examples: ["https://partner.example/hooks/sitewire"],
    }),
  })
  .meta({ id: "ChangeAddress", "x-rejections": ["address has another scheme, host or port"] })

export const testChannelSchema = z
  .strictObject({
    address: changeAddressSchema.shape.address
      .optional()
      .describe(
        "Tests this address in place of the channel's. Only operators may give one. The stored `partner_may_change_address` decides which addresses are allowed.",
      ),
    new_channel: z
      .boolean()
      .optional()
      .describe(
        "There is no channel with this id yet, and the address is to be its. The test is signed with a secret that nobody knows.",
      ),
  })
  .optional()
  .meta({ id: "TestChannel" })

export const otherSecretStateSchema = z.enum(["staged", "retiring"])

export const channelSchema = z
  .object({
    id: z.string(),
    address: z.string(),
    secret_id: z.string().describe("Id of the active signing secret, by which X-Sitewire-Signature is made."),
    other_secret: z
      .object({
        id: z.string(),
        state: otherSecretStateSchema,
        since: z.iso.datetime().describe("Since when it has this state."),
        test: secretTestSchema
          .nullable()
          .describe("The last test of this secret at the channel's address since then. null: there is none."),
      })
      .nullable()
      .describe(
        "The second secret of a rotation. staged: not active yet. retiring: the previously active one.",
      ),
    ...shownRequestHeaders,
    paused_at: z.iso
      .datetime()
      .nullable()
      .describe("Since when an operator has paused the channel. null: it is not paused."),
    ...settings,
    contact: z
      .string()
      .nullable()
      .describe(
        "The partner's e-mail address. Masked, unless the channel itself is read or changed with the scope `personal-data` or by a key of the channel.",
      ),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({
    id: "Channel",
    description: "A partner's sales channel: where site.ready is sent and what signs it.",
  })

const standardWebhooksSecretSchema = z
  .string()
  .describe("The same secret in the form that libraries of Standard Webhooks take.")

export const createdChannelSchema = channelSchema
  .extend({
    signing_secret: z.string().describe("Shown only in this response. Store it where you store secrets."),
    standard_webhooks_secret: standardWebhooksSecretSchema,
  })
  .meta({ id: "CreatedChannel" })

export const stagedSecretSchema = channelSchema
  .extend({
    staged_secret: z
      .string()
      .describe(
        "The new signing secret, which nobody can read after its activation. It signs X-Sitewire-Signature from then on.",
      ),
    standard_webhooks_secret: standardWebhooksSecretSchema,
  })
  .meta({ id: "StagedSecret" })

/**
 * With `secret_id`, a step of a secret's rotation fails if another operator has rotated the secret meanwhile.
 */
export const secretQuerySchema = z.strictObject({
  secret_id: identifierSchema
    .optional()
    .describe("Id of the secret that you mean. If the step would affect another secret, it responds 409."),
})

/** For steps after which the other secret signs. */
export const activateQuerySchema = secretQuerySchema.extend({
  force: booleanParameterSchema
    .optional()
    .describe(
      "true: also if the secret's last test found that the receiver does not accept it, so that deliveries would fail.",
    ),
})

export const channelHealthStateSchema = z.enum(["failing", "ok"])

export const deadDeliveriesSchema = z
  .object({
    count: z.int().describe("How many. At most 10,000 are counted."),
    created_after: z.iso
      .datetime()
      .describe("Deliveries that were created before this time, 7 days ago, are not counted."),
  })
  .meta({
    id: "DeadDeliveries",
    description: "Deliveries that are dead now. One that is resent is dead no more.",
  })

/** A channel in a list, with what an operator looks for. */
export const listedChannelSchema = channelSchema
  .extend({
    health: channelHealthStateSchema.describe("As in the channel's health."),
    dead: deadDeliveriesSchema,
    last_error: attemptErrorSchema
      .nullable()
      .describe(
        "Error class of the last failed attempt of the newest delivery that is pending or dead. null: none has failed.",
      ),
    last_status: z.int().nullable().describe("Its HTTP status. null: there was no response."),
  })
  .meta({ id: "ListedChannel" })

export const channelQuerySchema = pageQuerySchema.extend({
  q: plainText
    .min(1)
    .max(100)
    .optional()
    .describe("Only channels whose id, or the host of whose address, contains this text. Case is ignored."),
  paused: booleanParameterSchema
    .optional()
    .describe("true: only paused channels. false: only channels that are not paused."),
  health: channelHealthStateSchema
    .optional()
    .describe(
      "failing: only channels whose last three attempts failed, or whose last one was a delivery's last, and of which no test has succeeded since. ok: all others.",
    ),
})

export const deleteChannelQuerySchema = z.strictObject({
  force: booleanParameterSchema
    .optional()
    .describe("true: also delete the channel if deliveries are pending. They become dead."),
})

export const deletedChannelSchema = z
  .object({
    id: z.string(),
    deleted: z.literal(true).describe("The channel is deleted."),
    pending_deliveries: z
      .int()
      .describe("How many deliveries waited for an attempt. At most 100,000 are counted."),
    outcome: z
      .enum(["none", "dead"])
      .describe(
        "What happens to the pending deliveries. none: there were none. dead: no new attempt starts after 4 seconds, and within about a minute each is dead with dead_reason channel-deleted. An attempt that was accepted meanwhile makes its delivery delivered.",
      ),
    keys: z
      .array(
        z.object({
          id: z.string(),
          revoked: z
            .boolean()
            .describe("true: the key had no other scope, so it is revoked. false: it has lost this scope."),
        }),
      )
      .describe("The API keys that had the scope channel:<id>."),
  })
  .meta({ id: "DeletedChannel", description: "The result of a channel's deletion." })

export type CreateChannel = z.infer<typeof createChannelSchema>
export type ChangeChannel = z.infer<typeof changeChannelSchema>
export type Channel = z.infer<typeof channelSchema>
export type CreatedChannel = z.infer<typeof createdChannelSchema>
export type DeadDeliveries = z.infer<typeof deadDeliveriesSchema>
export type ListedChannel = z.infer<typeof listedChannelSchema>
export type ChannelQuery = z.output<typeof channelQuerySchema>
export type DeletedChannel = z.infer<typeof deletedChannelSchema>
export type StagedSecret = z.infer<typeof stagedSecretSchema>
