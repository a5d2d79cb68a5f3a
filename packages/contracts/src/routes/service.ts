import { z } from "zod"
import type { Route } from "./route.ts"

const problemCodeSchema = z
  .object({
    code: z.string(),
    status: z.int(),
    title: z.string(),
    meaning: z.string(),
    remedy: z.string().describe("What to do."),
  })
  .meta({ id: "ProblemCode", description: "A cause of error responses." })

export const serviceRoutes = {
  listProblems: {
    method: "get",
    path: "/problems",
    summary: "List the causes of error responses",
    allow: "anyone",
    success: {
      status: 200,
      description: "All codes.",
      schema: z.object({ data: z.array(problemCodeSchema) }).meta({ id: "ProblemCodes" }),
    },
  },
  readProblem: {
    method: "get",
    path: "/problems/{code}",
    summary: "Read what a cause of error responses means",
    allow: "anyone",
    params: z.object({ code: z.string().max(64) }),
    success: { status: 200, description: "The code.", schema: problemCodeSchema },
  },
  readOpenApi: {
    method: "get",
    path: "/openapi.json",
    summary: "Read this document",
    allow: "anyone",
    success: { status: 200, description: "OpenAPI 3.1.", schema: z.looseObject({ openapi: z.string() }) },
  },
  readRoot: {
    method: "get",
    path: "/",
    summary: "Read links to the API and to its description",
    allow: "anyone",
    success: {
      status: 200,
      description: "Paths of the API and of its OpenAPI document.",
      schema: z.object({ name: z.string(), api: z.string(), openapi: z.string() }),
    },
  },
} satisfies Record<string, Route>
