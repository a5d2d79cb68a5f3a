import { channelSchema, secretQuerySchema } from "@sitewire/contracts"
import { defineRoute } from "../../defineRoute.ts"
import { idParameter } from "../../pathParameters.ts"
import { notFound } from "../../problems.ts"
import { changedChannel } from "../channelResponse.ts"
import { findChannel, lockChannel } from "../findChannel.ts"
import { rotationConflict } from "./rotationConflict.ts"

export const retireSecret = defineRoute({
  method: "post",
  path: "/v1/channels/{id}/secret/retire",
  operation: "retireSecret",
  summary: "Delete the secret that is not active",
  allow: { operate: "all", channel: "own" },
  description:
    "Ends a rotation: deletes the retiring secret, or the staged one to abandon the rotation. Pass `secret_id` if somebody else may be rotating too. The active secret is left unchanged.",
  params: idParameter,
  query: secretQuerySchema,
  success: { status: 200, description: "The updated channel.", schema: channelSchema },
  otherResponses: { 409: "There is no other secret, or the other one is not `secret_id`." },
  async handle({ prisma }, { params: { id }, query: { secret_id }, caller }) {
    const found = await lockChannel(prisma, id, caller)
    if (!found) return notFound("channel", id)
    const { count } = await prisma.channel.updateMany({
      where: { id, other_secret_id: secret_id ?? { not: null } },
      data: {
        other_secret_id: null,
        other_secret_sealed: null,
        other_secret_state: null,
        other_secret_since: null,
      },
    })
    const row = count === 1 ? await findChannel(prisma, id, caller) : null
    if (!row) return rotationConflict(prisma, id, "retire", secret_id)
    return changedChannel(found, row, caller)
  },
})
