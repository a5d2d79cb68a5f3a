import { problemCodes } from "@sitewire/contracts"
import { notFound, problem } from "../http/problems.ts"
import { ok } from "../http/response.ts"
import { topicStatus } from "../kafka/topicStatus.ts"
import { findChannel } from "./channels/channelResponse.ts"
import { findConnection } from "./connections/connectionResponse.ts"
import { implement } from "./implement.ts"

export const listProblems = implement("listProblems", async () =>
  ok({ data: Object.entries(problemCodes).map(([code, explanation]) => ({ code, ...explanation })) }),
)

/** The `type` of a problem document is the path of this route. */
export const readProblem = implement("readProblem", async (_context, { params: { code } }) => {
  const found = Object.entries(problemCodes).find(([name]) => name === code)
  if (!found)
    return problem("not-found", `There is no problem code "${code}". GET /problems lists all codes.`)
  return ok({ code: found[0], ...found[1] })
})

export const readOpenApi = implement("readOpenApi", async ({ openApiDocument }) => ok(openApiDocument))

/** Browsers get the web console instead. */
export const readRoot = implement("readRoot", async () =>
  ok({ name: "Sitewire console", api: "/v1", openapi: "/openapi.json" }),
)

export const listTopics = implement("listTopics", async ({ readTopics }) => {
  return ok({ data: (await readTopics()).map(topicStatus) })
})

export const openStream = implement(
  "openStream",
  async ({ prisma, sql, changes }, { query, headOnly, caller }) => {
    const { channel, connection } = query
    if (channel !== undefined && !(await findChannel(prisma, channel, caller)))
      return notFound("channel", channel)
    if (connection !== undefined && !(await findConnection(sql, connection, caller)))
      return notFound("connection", connection)
    const queue = headOnly ? null : await changes.subscribe({ caller, filter: query })
    if (queue === null && !headOnly) return problem("too-many-streams")
    return {
      kind: "stream",
      status: 200,
      headers: { "content-type": "text/event-stream", "x-accel-buffering": "no" },
      chunks: queue,
    }
  },
)
