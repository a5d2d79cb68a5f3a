import { z } from "zod"
import { defineRoute } from "../defineRoute.ts"
import { ok } from "../response.ts"

export const readOpenApi = defineRoute({
  method: "get",
  path: "/openapi.json",
  operation: "readOpenApi",
  summary: "Read this document",
  allow: "anyone",
  success: { status: 200, description: "OpenAPI 3.1.", schema: z.looseObject({ openapi: z.string() }) },
  handle: async ({ openApiDocument }) => ok(openApiDocument),
})
