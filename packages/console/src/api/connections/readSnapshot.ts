import { z } from "zod"
import { defineRoute } from "../defineRoute.ts"
import { idParameter } from "../pathParameters.ts"
import { notFound, problem } from "../problems.ts"
import { findConnection } from "./findConnection.ts"
import { contentHeaders, contentRequestHeaders, notModified, snapshotResponse } from "./snapshotResponse.ts"

export const readSnapshot = defineRoute({
  method: "get",
  path: "/v1/connections/{id}/snapshot",
  operation: "readSnapshot",
  summary: "Read the content that a connection's last successful sync fetched, or an earlier one",
  allow: { read: "all", site: "own" },
  expensive: true,
  description:
    "The source's response, decoded, with its content type. With `fence`, the content of that sync: a content stays readable for at least 10 minutes after it was replaced.",
  params: idParameter,
  query: z.object({
    fence: z
      .string()
      .regex(/^[0-9]{1,15}$/, "must be a whole number")
      .optional()
      .meta({
        description: "The number of the sync that stored the content, as in `connection.changed`.",
        examples: ["57"],
      }),
  }),
  success: { status: 200, description: "The content.", headers: contentHeaders },
  requestHeaders: contentRequestHeaders,
  otherResponses: {
    ...notModified,
    410: "The content of the sync in `fence` is not stored. Read the newest, without `fence`.",
  },
  async handle({ prisma, sql }, { params: { id }, query: { fence }, headers, headOnly, caller }) {
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
})
