import { notFound } from "../../http/problems.ts"
import { ok } from "../../http/response.ts"
import { implement } from "../implement.ts"
import { channelResponse } from "./channelResponse.ts"
import { withWholeContact } from "./contact.ts"
import { findChannel } from "./findChannel.ts"

export const readChannel = implement("readChannel", async ({ prisma }, { params: { id }, caller }) => {
  const row = await findChannel(prisma, id, caller)
  return row ? ok(withWholeContact(channelResponse(row, caller), row, caller)) : notFound("channel", id)
})
