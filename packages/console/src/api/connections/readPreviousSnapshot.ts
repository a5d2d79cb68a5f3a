import { defineRoute } from "../defineRoute.ts"
import { idParameter } from "../pathParameters.ts"
import { notFound, problem } from "../problems.ts"
import { findConnection } from "./findConnection.ts"
import { contentHeaders, contentRequestHeaders, notModified, snapshotResponse } from "./snapshotResponse.ts"

export const readPreviousSnapshot = defineRoute({
  method: "get",
  path: "/v1/connections/{id}/snapshot/previous",
  operation: "readPreviousSnapshot",
  summary: "Read the content that a connection had before its last change",
  allow: { read: "all", site: "own" },
  expensive: true,
  description:
    "It is stored for 10 minutes after the change, and for 7 days if it is not larger than 1 MiB, to show what changed. An erasure deletes the previous contents of all connections.",
  params: idParameter,
  success: { status: 200, description: "The content before the last change.", headers: contentHeaders },
  requestHeaders: contentRequestHeaders,
  otherResponses: notModified,
  async handle({ prisma, sql }, { params: { id }, headers, headOnly, caller }) {
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
})
