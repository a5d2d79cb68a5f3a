import { z } from "zod"
import { defineRoute } from "../defineRoute.ts"
import { ok } from "../response.ts"

/** Browsers get the web console instead. */
export const readRoot = defineRoute({
  method: "get",
  path: "/",
  operation: "readRoot",
  summary: "Read links to the API and to its description",
  allow: "anyone",
  success: {
    status: 200,
    description: "Paths of the API and of its OpenAPI document.",
    schema: z.object({ name: z.string(), api: z.string(), openapi: z.string() }),
  },
  handle: async () => ok({ name: "Sitewire console", api: "/v1", openapi: "/openapi.json" }),
})
