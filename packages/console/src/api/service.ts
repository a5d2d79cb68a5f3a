import { problemCodes } from "@sitewire/contracts"
import { problem } from "../http/problems.ts"
import { ok } from "../http/response.ts"
import { topicStatus } from "../kafka/topicStatus.ts"
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
