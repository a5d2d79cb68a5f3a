import { z } from "zod"
import { ok } from "../response.ts"
import { defineRoute } from "../defineRoute.ts"

/** The place of the web console. Until it is there, whoever opens the address is told where things are. */
export const readRoot = defineRoute({
  method: "get",
  path: "/",
  operation: "readRoot",
  summary: "Where things are",
  open: true,
  success: {
    status: 200,
    description: "Paths of the API and of its description.",
    schema: z.object({ name: z.string(), api: z.string(), openapi: z.string() }),
  },
  handle: async () => ok({ name: "Sitewire console", api: "/v1", openapi: "/openapi.json" }),
})
