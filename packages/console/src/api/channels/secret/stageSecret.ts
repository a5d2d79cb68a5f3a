import { stagedSecretSchema } from "@sitewire/contracts"
import { seal, sealContexts } from "@sitewire/database"
import { ok } from "../../response.ts"
import { newId, newSigningSecret } from "../../../newIds.ts"
import { defineRoute } from "../../defineRoute.ts"
import { byId } from "../../pathParameters.ts"
import { channelAnswer, channelColumns } from "../channelResponse.ts"
import { refuseRotation } from "./rotationConflict.ts"

export const stageSecret = defineRoute({
  method: "post",
  path: "/v1/channels/{id}/secret/stage",
  operation: "stageSecret",
  summary: "Stage a new signing secret",
  description:
    "Begins a rotation. The answer holds the new secret, which is told this once. X-Sitewire-Signature stays by the active secret until the new one is activated; Standard Webhooks headers, where switched on, carry both from now on.",
  params: byId,
  success: { status: 200, description: "The channel with its staged secret.", schema: stagedSecretSchema },
  others: { 409: "A rotation is under way: there is a staged or a retiring secret already." },
  async handle({ prisma, sealingKeys }, { params: { id } }) {
    const secretId = newId("sec")
    const secret = newSigningSecret()
    const sealed = seal(sealingKeys, sealContexts.signingSecret(id, secretId), secret)
    // The condition is in the statement: of two who stage at once, one gets a row.
    const [row] = await prisma.channel.updateManyAndReturn({
      where: { id, otherSecretId: null },
      data: {
        otherSecretId: secretId,
        otherSecretSealed: new Uint8Array(sealed),
        otherSecretState: "staged",
      },
      select: channelColumns,
    })
    if (!row) return refuseRotation(prisma, id, "stage")
    return ok({ ...channelAnswer(row), staged_secret: secret })
  },
})
