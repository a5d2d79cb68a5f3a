import { z } from "zod"
import { ok } from "../response.ts"
import { defineRoute } from "../defineRoute.ts"

export const readOpenApi = defineRoute({
  method: "get",
  path: "/openapi.json",
  operation: "readOpenApi",
  summary: "Read this document",
  open: true,
  success: { status: 200, description: "OpenAPI 3.1.", schema: z.looseObject({ openapi: z.string() }) },
  handle: async ({ document }) => ok({ openapi: "3.1.1", ...document }),
})
