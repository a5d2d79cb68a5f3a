import { consoleSessionSchema, pageSchema, sessionQuerySchema } from "@sitewire/contracts"
import { ownKey } from "../../auth/caller.ts"
import { defineRoute } from "../defineRoute.ts"
import { newestFirst, readPage } from "../pagination.ts"
import { ok } from "../response.ts"
import { sessionColumns, sessionResponse, visibleSessions } from "./visibleSessions.ts"

export const listSessions = defineRoute({
  method: "get",
  path: "/v1/sessions",
  operation: "listSessions",
  summary: "List sessions of the web console, newest first",
  description:
    "Sessions that have not ended. Without the scope admin, only those of the caller. A session that was not used for SESSION_IDLE has ended, and may still be listed.",
  allow: { ...ownKey, admin: "all" },
  query: sessionQuerySchema,
  success: {
    status: 200,
    description: "A page of sessions.",
    schema: pageSchema(consoleSessionSchema).meta({ id: "ConsoleSessionPage" }),
  },
  async handle({ prisma }, { query, caller }) {
    const page = await readPage(query, {
      ...newestFirst,
      read: (after, count) =>
        prisma.session.findMany({
          where: {
            AND: [
              visibleSessions(caller, query.owner),
              { expires_at: { gt: new Date() } },
              newestFirst.where(after),
            ],
          },
          orderBy: newestFirst.orderBy,
          take: count,
          select: sessionColumns,
        }),
    })
    if (page.kind === "problem") return page
    return ok({ data: page.rows.map((row) => sessionResponse(row, caller)), next_cursor: page.next_cursor })
  },
})
