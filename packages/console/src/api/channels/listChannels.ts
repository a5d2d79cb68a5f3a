import { channelQuerySchema, listedChannelSchema, pageSchema } from "@sitewire/contracts"
import { defineRoute } from "../defineRoute.ts"
import { newestFirst, readPage } from "../pagination.ts"
import { ok } from "../response.ts"
import { channelColumns } from "./channelResponse.ts"
import { listedChannels } from "./listedChannels.ts"
import { searchChannels } from "./searchChannels.ts"

export const listChannels = defineRoute({
  method: "get",
  path: "/v1/channels",
  operation: "listChannels",
  summary: "Search channels, newest first",
  allow: { read: "all", channel: "own" },
  expensive: true,
  query: channelQuerySchema,
  success: {
    status: 200,
    description: "A page of channels.",
    schema: pageSchema(listedChannelSchema).meta({ id: "ChannelPage" }),
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
    return ok({ data: await listedChannels(sql, page.rows, caller), next_cursor: page.next_cursor })
  },
})
