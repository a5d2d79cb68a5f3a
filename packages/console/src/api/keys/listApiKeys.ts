import { apiKeySchema } from "@sitewire/contracts"
import { ok } from "../../http/response.ts"
import { columnsOf, responseOf } from "../../http/responseOf.ts"
import { implement } from "../implement.ts"
import { newestFirst, readPage } from "../pagination.ts"

export const listApiKeys = implement("listApiKeys", async ({ prisma }, { query }) => {
  const page = await readPage(query, {
    ...newestFirst,
    read: (after, count) =>
      prisma.apiKey.findMany({
        where: newestFirst.where(after),
        orderBy: newestFirst.orderBy,
        take: count,
        select: columnsOf(apiKeySchema),
      }),
  })
  if (page.kind === "problem") return page
  return ok({ data: page.rows.map((row) => responseOf(apiKeySchema, row)), next_cursor: page.next_cursor })
})
