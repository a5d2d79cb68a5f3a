import { defineRoute } from "../defineRoute.ts"
import { idParameter } from "../pathParameters.ts"
import { notFound, problem } from "../problems.ts"
import { findConnection } from "./findConnection.ts"
import { contentHeaders, contentRequestHeaders, notModified, snapshotResponse } from "./snapshotResponse.ts"

export const readSnapshot = defineRoute({
  method: "get",
  path: "/v1/connections/{id}/snapshot",
  operation: "readSnapshot",
  summary: "Read the content that a connection's last successful sync fetched",
  allow: ["read", "site"],
  description: "The source's response, decoded, with its content type.",
  params: idParameter,
  success: { status: 200, description: "The content.", headers: contentHeaders },
  requestHeaders: contentRequestHeaders,
  otherResponses: notModified,
  async handle({ prisma, sql }, { params: { id }, headers, headOnly, caller }) {
    if (!(await findConnection(sql, id, caller))) return notFound("connection", id)
    const snapshot = await prisma.snapshot.findUnique({ where: { connectionId: id } })
    if (!snapshot) {
      return problem(
        "nothing-fetched",
        `Nothing has been fetched for the connection "${id}" yet. GET /v1/syncs?connection=${id} lists its syncs.`,
      )
    }
    const { contentSha256: sha256, contentType: type } = snapshot
    const known = headers["if-none-match"]
    return snapshotResponse(prisma, { ...snapshot, sha256, type }, { known, headOnly })
  },
})
