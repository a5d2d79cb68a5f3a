import { operatorNotificationSchema, siteReadySchema } from "@sitewire/contracts"
import { z } from "zod"
import type { ZodOpenApiPathsObject } from "zod-openapi"

const deliveryHeaders = z.object({
  "X-Sitewire-Signature": z
    .string()
    .regex(/^sha256=[0-9a-f]{64}$/)
    .describe(
      "`sha256=` and the HMAC-SHA256 of the body's bytes with the channel's signing secret, in hexadecimal. Compare it in constant time before you use the body. An installation with another service name has this name in place of `Sitewire`, in each header.",
    ),
  "X-Sitewire-Delivery": z.uuid().describe("Id of the delivery. It is the same in each attempt."),
  "X-Sitewire-Attempt": z
    .string()
    .regex(/^[1-9][0-9]*$/)
    .describe("Number of the attempt, from 1."),
  "webhook-id": z
    .string()
    .optional()
    .describe("Standard Webhooks: id of the delivery. Sent unless the channel's `standard_webhooks` is off."),
  "webhook-timestamp": z
    .string()
    .optional()
    .describe("Standard Webhooks: time of the attempt, in seconds since 1970."),
  "webhook-signature": z
    .string()
    .optional()
    .describe(
      "Standard Webhooks: `v1,` and the signature in base64. During a rotation of the secret, one by each secret, separated by a space.",
    ),
  traceparent: z
    .string()
    .optional()
    .describe(
      "W3C Trace Context of the attempt. Sent if the channel has `send_traceparent` and the trace is recorded.",
    ),
})

const responses = {
  "2XX": { description: "Received." },
  "3XX": { description: "Counts as a failure. Redirects are not followed." },
  "4XX": { description: "Counts as a failure. `Retry-After` with 429 can only delay the next attempt." },
  "5XX": { description: "Counts as a failure. `Retry-After` with 503 can only delay the next attempt." },
}

const attempts =
  "A response counts if its status arrives within 10 seconds; its body is not used. Failed attempts are repeated, from after one minute up to every hour, for several hours. The same event can arrive twice."

function webhook(about: { operationId: string; summary: string; description: string }, schema: z.ZodObject) {
  return {
    post: {
      ...about,
      tags: ["Webhooks"],
      security: [],
      requestParams: { header: deliveryHeaders },
      requestBody: { required: true, content: { "application/json": { schema } } },
      responses,
    },
  }
}

export const webhooks: ZodOpenApiPathsObject = {
  "site.ready": webhook(
    {
      operationId: "receiveSiteReady",
      summary: "A site was bought through the channel, and is ready",
      description: `Sent to the channel's address. ${attempts}`,
    },
    siteReadySchema,
  ),
  notification: webhook(
    {
      operationId: "receiveOperatorNotification",
      summary: "An incident has begun, or is resolved",
      description: `Sent to the address of each channel with \`operator_notifications\`. ${attempts}`,
    },
    operatorNotificationSchema,
  ),
}

export const webhooksTag = {
  name: "Webhooks",
  description: "Requests that Sitewire sends, and that the receiver implements.",
}
