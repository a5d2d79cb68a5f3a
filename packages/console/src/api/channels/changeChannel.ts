import { changeChannelSchema, channelSchema } from "@sitewire/contracts"
import { notFound, ok } from "../response.ts"
import { isMissing } from "../databaseErrors.ts"
import { defineRoute } from "../defineRoute.ts"
import { vetField } from "../checkAddress.ts"
import { byId } from "../pathParameters.ts"
import { channelAnswer, channelColumns } from "./channelResponse.ts"

export const changeChannel = defineRoute({
  method: "patch",
  path: "/v1/channels/{id}",
  operation: "changeChannel",
  summary: "Change a channel's address or headers",
  description: "Takes effect at once, for deliveries that already wait for their next attempt too.",
  params: byId,
  body: changeChannelSchema,
  success: { status: 200, description: "The channel as it is now.", schema: channelSchema },
  async handle({ prisma, addressPolicy }, { params: { id }, body }) {
    const data: { address?: string; standardWebhooks?: boolean } = {}
    if (body.address !== undefined) {
      const address = vetField("address", body.address, addressPolicy)
      if (address.kind === "problem") return address
      data.address = address.href
    }
    if (body.standard_webhooks !== undefined) data.standardWebhooks = body.standard_webhooks
    try {
      return ok(channelAnswer(await prisma.channel.update({ where: { id }, data, select: channelColumns })))
    } catch (error) {
      if (isMissing(error)) return notFound("channel", id)
      throw error
    }
  },
})
