import { connectionSchema, pageQuerySchema, pageSchema } from "@sitewire/contracts"
import { onlyVisible } from "../../auth/caller.ts"
import { defineRoute } from "../defineRoute.ts"
import { newestFirst, readPage } from "../pagination.ts"
import { ok } from "../response.ts"
import { connectionColumns, connectionResponse, windowColumns } from "./connectionResponse.ts"

export const listConnections = defineRoute({
  method: "get",
  path: "/v1/connections",
  operation: "listConnections",
  summary: "List connections, newest first",
  allow: ["read", "site"],
  query: pageQuerySchema,
  success: {
    status: 200,
    description: "A page of connections.",
    schema: pageSchema(connectionSchema).meta({ id: "ConnectionPage" }),
  },
  async handle({ prisma }, { query, caller }) {
    const sites = onlyVisible(caller.sites)
    const visible = sites ? { site: sites } : {}
    const page = await readPage(query, {
      ...newestFirst,
      read: (after, count) =>
        prisma.connection.findMany({
          where: { ...newestFirst.where(after), ...visible },
          orderBy: newestFirst.orderBy,
          take: count,
          select: connectionColumns,
        }),
    })
    if (page.kind === "problem") return page
    const ids = page.rows.map((row) => row.id)
    const windows = await prisma.syncWindow.findMany({
      where: { connectionId: { in: ids } },
      select: windowColumns,
    })
    const windowOf = new Map(windows.map((window) => [window.connectionId, window]))
    const data = page.rows.map((row) => connectionResponse(row, windowOf.get(row.id)))
    return ok({ data, next_cursor: page.next_cursor })
  },
})
