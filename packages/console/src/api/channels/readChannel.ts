import { channelSchema } from "@sitewire/contracts"
import { notFound, ok } from "../response.ts"
import { defineRoute } from "../defineRoute.ts"
import { byId } from "../pathParameters.ts"
import { channelAnswer, channelColumns } from "./channelResponse.ts"

export const readChannel = defineRoute({
  method: "get",
  path: "/v1/channels/{id}",
  operation: "readChannel",
  summary: "Read a channel",
  params: byId,
  success: { status: 200, description: "The channel, without its secret.", schema: channelSchema },
  async handle({ prisma }, { params: { id } }) {
    const row = await prisma.channel.findUnique({ where: { id }, select: channelColumns })
    return row ? ok(channelAnswer(row)) : notFound("channel", id)
  },
})
