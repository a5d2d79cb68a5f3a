import { createChannelSchema, createdChannelSchema } from "@sitewire/contracts"
import { seal, sealContexts } from "@sitewire/database"
import { newId, newSigningSecret } from "../../newIds.ts"
import { checkAddress } from "../checkAddress.ts"
import { isUniqueViolation } from "../databaseErrors.ts"
import { defineRoute } from "../defineRoute.ts"
import { idTaken, problem } from "../problems.ts"
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
  otherResponses: { 409: "The id is taken, or its channel was deleted a moment ago." },
  async handle({ prisma, sealingKeys, addressPolicy }, { body }) {
    const address = checkAddress("address", body.address, addressPolicy)
    if (address.kind === "problem") return address
    const id = body.id ?? newId("chn")
    const secretId = newId("sec")
    const secret = newSigningSecret()
    const sealed = seal(sealingKeys, sealContexts.signingSecret(id, secretId), secret)
    try {
      const row = await prisma.channel.create({
        data: {
          id,
          address: address.href,
          secretId,
          secretSealed: new Uint8Array(sealed),
          maxPerSecond: body.max_per_second ?? null,
          operatorNotifications: body.operator_notifications ?? false,
        },
        select: channelColumns,
      })
      // Checked after the insert, which waits for a deletion of the same id that has not been committed.
      if (await prisma.deletedChannel.findUnique({ where: { id } })) return recentlyDeleted(id)
      const { address: stored, max_per_second, operator_notifications } = channelResponse(row)
      const changes = changesOf(
        {},
        {
          address: stored,
          secret_id: secretId,
          ...(max_per_second === null ? {} : { max_per_second }),
          ...(operator_notifications ? { operator_notifications } : {}),
        },
      )
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

function recentlyDeleted(id: string) {
  return problem(
    "id-taken",
    `A channel with the id "${id}" was deleted a moment ago, and its pending deliveries are still being marked as dead. Try again in a minute, or choose another id.`,
  )
}
