import { ok } from "../../http/response.ts"
import { implement } from "../implement.ts"
import { newestFirst, readPage } from "../pagination.ts"
import { sessionColumns, sessionResponse, visibleSessions } from "./visibleSessions.ts"

export const listSessions = implement("listSessions", async ({ prisma }, { query, caller }) => {
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
})
