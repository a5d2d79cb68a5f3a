import { problemCodes } from "@sitewire/contracts"
import { z } from "zod"
import { defineRoute } from "../defineRoute.ts"
import { problem } from "../problems.ts"
import { ok } from "../response.ts"

const problemCodeSchema = z
  .object({
    code: z.string(),
    status: z.int(),
    title: z.string(),
    meaning: z.string(),
    remedy: z.string().meta({ description: "What to do." }),
  })
  .meta({ id: "ProblemCode", description: "A cause of error responses." })

export const listProblems = defineRoute({
  method: "get",
  path: "/problems",
  operation: "listProblems",
  summary: "List the causes of error responses",
  allow: "anyone",
  success: {
    status: 200,
    description: "All codes.",
    schema: z.object({ data: z.array(problemCodeSchema) }).meta({ id: "ProblemCodes" }),
  },
  handle: async () =>
    ok({ data: Object.entries(problemCodes).map(([code, explanation]) => ({ code, ...explanation })) }),
})

/** The `type` of a problem document is the path of this route. */
export const readProblem = defineRoute({
  method: "get",
  path: "/problems/{code}",
  operation: "readProblem",
  summary: "Read what a cause of error responses means",
  allow: "anyone",
  params: z.object({ code: z.string().max(64) }),
  success: { status: 200, description: "The code.", schema: problemCodeSchema },
  async handle(_context, { params: { code } }) {
    const found = Object.entries(problemCodes).find(([name]) => name === code)
    if (!found)
      return problem("not-found", `There is no problem code "${code}". GET /problems lists all codes.`)
    return ok({ code: found[0], ...found[1] })
  },
})
