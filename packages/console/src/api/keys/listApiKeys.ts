import { apiKeySchema, pageQuerySchema, pageSchema } from "@sitewire/contracts"
import { defineRoute } from "../defineRoute.ts"
import { newestFirst, readPage } from "../pagination.ts"
import { ok } from "../response.ts"
import { columnsOf, responseOf } from "../responseOf.ts"

export const listApiKeys = defineRoute({
  method: "get",
  path: "/v1/keys",
  operation: "listApiKeys",
  summary: "List API keys, newest first",
  allow: { admin: "all" },
  description:
    "Includes revoked and expired keys. No response but that of the creation contains a key itself.",
  query: pageQuerySchema,
  success: {
    status: 200,
    description: "A page of keys.",
    schema: pageSchema(apiKeySchema).meta({ id: "ApiKeyPage" }),
  },
  async handle({ prisma }, { query }) {
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
  },
})
