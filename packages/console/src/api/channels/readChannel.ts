import { channelSchema } from "@sitewire/contracts"
import { defineRoute } from "../defineRoute.ts"
import { idParameter } from "../pathParameters.ts"
import { notFound } from "../problems.ts"
import { ok } from "../response.ts"
import { channelResponse } from "./channelResponse.ts"
import { withWholeContact } from "./contact.ts"
import { findChannel } from "./findChannel.ts"

export const readChannel = defineRoute({
  method: "get",
  path: "/v1/channels/{id}",
  operation: "readChannel",
  summary: "Read a channel",
  allow: { read: "all", channel: "own" },
  params: idParameter,
  etag: true,
  success: { status: 200, description: "The channel, without its secrets.", schema: channelSchema },
  async handle({ prisma }, { params: { id }, caller }) {
    const row = await findChannel(prisma, id, caller)
    return row ? ok(withWholeContact(channelResponse(row, caller), row, caller)) : notFound("channel", id)
  },
})
