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
  allow: ["read", "site"],
  description:
    "It is stored to show what changed: for 7 days after the change, and only if it is not larger than 1 MiB. An erasure deletes the previous contents of all connections.",
  params: idParameter,
  success: { status: 200, description: "The content before the last change.", headers: contentHeaders },
  requestHeaders: contentRequestHeaders,
  otherResponses: notModified,
  async handle({ prisma, sql }, { params: { id }, headers, headOnly, caller }) {
    if (!(await findConnection(sql, id, caller))) return notFound("connection", id)
    const row = await prisma.snapshot.findUnique({
      where: { connectionId: id },
      select: {
        previousFence: true,
        previousSha256: true,
        previousType: true,
        previousBytes: true,
        previousStoredAt: true,
      },
    })
    const { previousFence, previousSha256, previousType, previousBytes, previousStoredAt } = row ?? {}
    if (previousFence == null || !previousSha256 || previousBytes == null || !previousStoredAt) {
      return problem(
        "no-previous-content",
        `The content that the connection "${id}" had before its last change is not stored: there was none, it was larger than 1 MiB, it was replaced more than 7 days ago, or an erasure deleted it.`,
      )
    }
    const content = {
      connectionId: id,
      fence: previousFence,
      sha256: previousSha256,
      type: previousType ?? null,
      bytes: previousBytes,
      storedAt: previousStoredAt,
    }
    return snapshotResponse(prisma, content, { known: headers["if-none-match"], headOnly })
  },
})
