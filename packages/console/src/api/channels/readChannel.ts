import { channelSchema } from "@sitewire/contracts"
import { defineRoute } from "../defineRoute.ts"
import { idParameter } from "../pathParameters.ts"
import { notFound } from "../problems.ts"
import { ok } from "../response.ts"
import { channelColumns, channelResponse } from "./channelResponse.ts"

export const readChannel = defineRoute({
  method: "get",
  path: "/v1/channels/{id}",
  operation: "readChannel",
  summary: "Read a channel",
  params: idParameter,
  success: { status: 200, description: "The channel, without its secrets.", schema: channelSchema },
  async handle({ prisma }, { params: { id } }) {
    const row = await prisma.channel.findUnique({ where: { id }, select: channelColumns })
    return row ? ok(channelResponse(row)) : notFound("channel", id)
  },
})
