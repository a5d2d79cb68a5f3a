import { createChannelSchema, createdChannelSchema } from "@sitewire/contracts"
import { seal, sealContexts } from "@sitewire/database"
import { ok, taken } from "../response.ts"
import { isTaken } from "../databaseErrors.ts"
import { newId, newSigningSecret } from "../../newIds.ts"
import { defineRoute } from "../defineRoute.ts"
import { vetField } from "../checkAddress.ts"
import { channelAnswer, channelColumns } from "./channelResponse.ts"

export const createChannel = defineRoute({
  method: "post",
  path: "/v1/channels",
  operation: "createChannel",
  summary: "Make a channel",
  description: "The answer holds the signing secret, which is told this once.",
  body: createChannelSchema,
  success: { status: 201, description: "The channel with its secret.", schema: createdChannelSchema },
  others: { 409: "The id is taken." },
  async handle({ prisma, sealingKeys, addressPolicy }, { body }) {
    const address = vetField("address", body.address, addressPolicy)
    if (address.kind === "problem") return address
    const id = body.id ?? newId("chn")
    const secretId = newId("sec")
    const secret = newSigningSecret()
    const sealed = seal(sealingKeys, sealContexts.signingSecret(id, secretId), secret)
    try {
      const row = await prisma.channel.create({
        data: { id, address: address.href, secretId, secretSealed: new Uint8Array(sealed) },
        select: channelColumns,
      })
      return ok({ ...channelAnswer(row), signing_secret: secret }, { location: `/v1/channels/${id}` })
    } catch (error) {
      if (isTaken(error)) return taken("channel", id)
      throw error
    }
  },
})
