import { channelSchema, secretQuerySchema } from "@sitewire/contracts"
import { ok } from "../../response.ts"
import { defineRoute } from "../../defineRoute.ts"
import { byId } from "../../pathParameters.ts"
import { channelAnswer, channelColumns } from "../channelResponse.ts"
import { refuseRotation } from "./rotationConflict.ts"

export const retireSecret = defineRoute({
  method: "post",
  path: "/v1/channels/{id}/secret/retire",
  operation: "retireSecret",
  summary: "Delete the secret that is not active",
  description:
    "Ends a rotation: the retiring secret is deleted, or a staged one that is given up. Name it by `secret_id` where somebody else may be rotating too. The active secret stays as it is.",
  params: byId,
  query: secretQuerySchema,
  success: { status: 200, description: "The channel as it is now.", schema: channelSchema },
  others: { 409: "There is no secret beside the active one, or another than `secret_id`." },
  async handle({ prisma }, { params: { id }, query: { secret_id } }) {
    const [row] = await prisma.channel.updateManyAndReturn({
      where: { id, otherSecretId: secret_id ?? { not: null } },
      data: { otherSecretId: null, otherSecretSealed: null, otherSecretState: null },
      select: channelColumns,
    })
    if (!row) return refuseRotation(prisma, id, "retire", secret_id)
    return ok(channelAnswer(row))
  },
})
