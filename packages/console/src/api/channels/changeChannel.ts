import { changeChannelSchema, channelSchema } from "@sitewire/contracts"
import { checkAddress } from "../checkAddress.ts"
import { isRowMissing } from "../databaseErrors.ts"
import { defineRoute } from "../defineRoute.ts"
import { idParameter } from "../pathParameters.ts"
import { notFound } from "../problems.ts"
import { ok } from "../response.ts"
import { channelColumns, channelResponse } from "./channelResponse.ts"

export const changeChannel = defineRoute({
  method: "patch",
  path: "/v1/channels/{id}",
  operation: "changeChannel",
  summary: "Change a channel's address or headers",
  description: "Takes effect at once, also for existing deliveries that wait for their next attempt.",
  params: idParameter,
  body: changeChannelSchema,
  success: { status: 200, description: "The updated channel.", schema: channelSchema },
  async handle({ prisma, addressPolicy }, { params: { id }, body }) {
    const data: { address?: string; standardWebhooks?: boolean } = {}
    if (body.address !== undefined) {
      const address = checkAddress("address", body.address, addressPolicy)
      if (address.kind === "problem") return address
      data.address = address.href
    }
    if (body.standard_webhooks !== undefined) data.standardWebhooks = body.standard_webhooks
    try {
      return ok(channelResponse(await prisma.channel.update({ where: { id }, data, select: channelColumns })))
    } catch (error) {
      if (isRowMissing(error)) return notFound("channel", id)
      throw error
    }
  },
})
