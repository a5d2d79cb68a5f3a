import { implement } from "../implement.ts"
import { notFound, problem } from "../problems.ts"
import { findConnection } from "./findConnection.ts"
import { snapshotResponse } from "./snapshotResponse.ts"

export const readPreviousSnapshot = implement(
  "readPreviousSnapshot",
  async ({ prisma, sql }, { params: { id }, headers, headOnly, caller }) => {
    if (!(await findConnection(sql, id, caller))) return notFound("connection", id)
    const previous = await prisma.previousSnapshot.findFirst({
      where: { connection_id: id },
      orderBy: { fence: "desc" },
    })
    if (!previous) {
      return problem(
        "no-previous-content",
        `The content that the connection "${id}" had before its last change is not stored: there was none, it was replaced more than 7 days ago (10 minutes if it was larger than 1 MiB), or an erasure deleted it.`,
      )
    }
    return snapshotResponse(sql, previous, { known: headers["if-none-match"], headOnly })
  },
)
