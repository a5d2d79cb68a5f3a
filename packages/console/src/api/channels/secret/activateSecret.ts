import { channelSchema, secretQuerySchema } from "@sitewire/contracts"
import { defineRoute } from "../../defineRoute.ts"
import { idParameter } from "../../pathParameters.ts"
import { notFound } from "../../problems.ts"
import { changesOf, ok } from "../../response.ts"
import { type ChannelRow, channelResponse } from "../channelResponse.ts"
import { lockChannel } from "../findChannel.ts"
import { rotationConflict } from "./rotationConflict.ts"

export const activateSecret = defineRoute({
  method: "post",
  path: "/v1/channels/{id}/secret/activate",
  operation: "activateSecret",
  summary: "Activate the staged signing secret",
  allow: ["operate", "channel"],
  description:
    "From now on X-Sitewire-Signature is made with the new secret, also for existing deliveries. The previous secret is retiring: if Standard Webhooks headers are on, they contain a signature by each until it is retired.",
  params: idParameter,
  query: secretQuerySchema,
  success: { status: 200, description: "The updated channel.", schema: channelSchema },
  otherResponses: { 409: "No secret is staged, or the staged one is not `secret_id`." },
  async handle({ prisma }, { params: { id }, query: { secret_id }, caller }) {
    const found = await lockChannel(prisma, id, caller)
    if (!found) return notFound("channel", id)
    // One statement swaps the columns, so that a dispatcher always reads one active secret. It is SQL because
    // Prisma cannot swap columns.
    const [row] = await prisma.$queryRaw<ChannelRow[]>`
      update channel
         set secret_id = other_secret_id, secret_sealed = other_secret_sealed,
             other_secret_id = secret_id, other_secret_sealed = secret_sealed, other_secret_state = 'retiring',
             other_secret_since = now(),
             updated_at = now()
       where id = ${id} and other_secret_state = 'staged'
         and (${secret_id ?? null}::text is null or other_secret_id = ${secret_id ?? null})
      returning id, address, secret_id as "secretId", other_secret_id as "otherSecretId",
                other_secret_state::text as "otherSecretState", standard_webhooks as "standardWebhooks",
                send_traceparent as "sendTraceparent",
                other_secret_since as "otherSecretSince", operator_notifications as "operatorNotifications",
                paused_at as "pausedAt", max_per_second as "maxPerSecond", last_certification as "lastCertification",
                created_at as "createdAt", updated_at as "updatedAt"`
    if (!row) return rotationConflict(prisma, id, "activate", secret_id)
    const after = channelResponse(row)
    const changes = changesOf(channelResponse(found), after)
    return ok(after, { audit: { target: { kind: "channel", id }, changes } })
  },
})
