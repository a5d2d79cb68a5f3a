import { notFound, problem } from "../../http/problems.ts"
import { implement } from "../implement.ts"
import { findConnection } from "./findConnection.ts"
import { snapshotResponse } from "./snapshotResponse.ts"

export const readSnapshot = implement(
  "readSnapshot",
  async ({ prisma, sql }, { params: { id }, query: { fence }, headers, headOnly, caller }) => {
    if (!(await findConnection(sql, id, caller))) return notFound("connection", id)
    const snapshot = await prisma.snapshot.findUnique({ where: { connection_id: id } })
    if (!snapshot) {
      return problem(
        "nothing-fetched",
        `Nothing has been fetched for the connection "${id}" yet. GET /v1/syncs?connection=${id} lists its syncs.`,
      )
    }
    const wanted = fence === undefined ? snapshot.fence : BigInt(fence)
    const content =
      wanted === snapshot.fence
        ? snapshot
        : await prisma.previousSnapshot.findUnique({
            where: { connection_id_fence: { connection_id: id, fence: wanted } },
          })
    if (!content) {
      return problem(
        "content-replaced",
        `The content of sync ${fence} of the connection "${id}" is not stored. Omit fence to read the newest, of sync ${snapshot.fence}.`,
      )
    }
    return snapshotResponse(sql, content, { known: headers["if-none-match"], headOnly })
  },
)
