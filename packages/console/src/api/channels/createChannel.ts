import { createChannelSchema, createdChannelSchema } from "@sitewire/contracts"
import { seal, sealContexts } from "@sitewire/database"
import { newId, newSigningSecret } from "../../newIds.ts"
import { checkAddress } from "../checkAddress.ts"
import { isUniqueViolation } from "../databaseErrors.ts"
import { defineRoute } from "../defineRoute.ts"
import { idTaken } from "../problems.ts"
import { changesOf, ok } from "../response.ts"
import { channelColumns, channelResponse } from "./channelResponse.ts"

export const createChannel = defineRoute({
  method: "post",
  path: "/v1/channels",
  operation: "createChannel",
  summary: "Create a channel",
  allow: ["operate"],
  description: "The response contains the signing secret, which is never shown again.",
  body: createChannelSchema,
  success: { status: 201, description: "The channel with its signing secret.", schema: createdChannelSchema },
  otherResponses: { 409: "The id is taken." },
  async handle({ prisma, sealingKeys, addressPolicy }, { body }) {
    const address = checkAddress("address", body.address, addressPolicy)
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
      const changes = changesOf({}, { address: row.address, secret_id: secretId })
      return ok(
        { ...channelResponse(row), signing_secret: secret },
        {
          headers: { location: `/v1/channels/${id}` },
          audit: { target: { kind: "channel", id }, changes },
        },
      )
    } catch (error) {
      if (isUniqueViolation(error)) return idTaken("channel", id)
      throw error
    }
  },
})
