import { channelSchema, pageQuerySchema, pageSchema } from "@sitewire/contracts"
import { onlyVisible } from "../../auth/caller.ts"
import { defineRoute } from "../defineRoute.ts"
import { newestFirst, readPage } from "../pagination.ts"
import { ok } from "../response.ts"
import { channelColumns, channelResponse } from "./channelResponse.ts"

export const listChannels = defineRoute({
  method: "get",
  path: "/v1/channels",
  operation: "listChannels",
  summary: "List channels, newest first",
  allow: ["read", "channel"],
  query: pageQuerySchema,
  success: {
    status: 200,
    description: "A page of channels.",
    schema: pageSchema(channelSchema).meta({ id: "ChannelPage" }),
  },
  async handle({ prisma }, { query, caller }) {
    const ids = onlyVisible(caller.channels)
    const visible = ids ? { AND: { id: ids } } : {}
    const page = await readPage(query, {
      ...newestFirst,
      read: (after, count) =>
        prisma.channel.findMany({
          where: { ...newestFirst.where(after), ...visible },
          orderBy: newestFirst.orderBy,
          take: count,
          select: channelColumns,
        }),
    })
    if (page.kind === "problem") return page
    return ok({ data: page.rows.map(channelResponse), next_cursor: page.next_cursor })
  },
})
