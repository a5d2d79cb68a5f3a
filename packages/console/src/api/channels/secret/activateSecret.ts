import { channelSchema, secretQuerySchema } from "@sitewire/contracts"
import { ok } from "../../response.ts"
import { defineRoute } from "../../defineRoute.ts"
import { byId } from "../../pathParameters.ts"
import { type ChannelRow, channelAnswer } from "../channelResponse.ts"
import { refuseRotation } from "./rotationConflict.ts"

export const activateSecret = defineRoute({
  method: "post",
  path: "/v1/channels/{id}/secret/activate",
  operation: "activateSecret",
  summary: "Activate the staged signing secret",
  description:
    "X-Sitewire-Signature is by the new secret from now on, for deliveries that already wait too. The one before is retiring: Standard Webhooks headers, where switched on, carry both until it is retired.",
  params: byId,
  query: secretQuerySchema,
  success: { status: 200, description: "The channel as it is now.", schema: channelSchema },
  others: { 409: "No secret is staged, or another than `secret_id`." },
  async handle({ prisma }, { params: { id }, query: { secret_id } }) {
    // SQL, as columns change places: one statement, so that a dispatcher sees either secret active and never none.
    const [row] = await prisma.$queryRaw<ChannelRow[]>`
      update channel
         set secret_id = other_secret_id, secret_sealed = other_secret_sealed,
             other_secret_id = secret_id, other_secret_sealed = secret_sealed, other_secret_state = 'retiring',
             updated_at = now()
       where id = ${id} and other_secret_state = 'staged'
         and (${secret_id ?? null}::text is null or other_secret_id = ${secret_id ?? null})
      returning id, address, secret_id as "secretId", other_secret_id as "otherSecretId",
                other_secret_state::text as "otherSecretState", standard_webhooks as "standardWebhooks",
                paused_at as "pausedAt", created_at as "createdAt", updated_at as "updatedAt"`
    if (!row) return refuseRotation(prisma, id, "activate", secret_id)
    return ok(channelAnswer(row))
  },
})
