import { ok } from "../../http/response.ts"
import { implement } from "../implement.ts"
import { newestFirst, readPage } from "../pagination.ts"
import { channelColumns } from "./channelResponse.ts"
import { listedChannels } from "./listedChannels.ts"
import { searchChannels } from "./searchChannels.ts"

export const listChannels = implement("listChannels", async ({ prisma, sql }, { query, caller }) => {
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
})
