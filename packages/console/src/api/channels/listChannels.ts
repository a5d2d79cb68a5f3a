import { channelQuerySchema, channelSchema, pageSchema } from "@sitewire/contracts"
import { defineRoute } from "../defineRoute.ts"
import { newestFirst, readPage } from "../pagination.ts"
import { ok } from "../response.ts"
import { channelColumns, channelResponse } from "./channelResponse.ts"
import { searchChannels } from "./searchChannels.ts"

export const listChannels = defineRoute({
  method: "get",
  path: "/v1/channels",
  operation: "listChannels",
  summary: "Search channels, newest first",
  allow: ["read", "channel"],
  query: channelQuerySchema,
  success: {
    status: 200,
    description: "A page of channels.",
    schema: pageSchema(channelSchema).meta({ id: "ChannelPage" }),
  },
  async handle({ prisma, sql }, { query, caller }) {
    const page = await readPage(query, {
      key: newestFirst.key,
      keyOf: newestFirst.keyOf,
      read: async (after, count) => {
        const ids = await searchChannels(sql, query, { caller, after, count })
        return prisma.channel.findMany({
          where: { id: { in: ids } },
          orderBy: newestFirst.orderBy,
          select: channelColumns,
        })
      },
    })
    if (page.kind === "problem") return page
    return ok({ data: page.rows.map(channelResponse), next_cursor: page.next_cursor })
  },
})
