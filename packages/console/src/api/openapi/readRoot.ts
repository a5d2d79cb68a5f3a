import { implement } from "../implement.ts"
import { ok } from "../response.ts"

/** Browsers get the web console instead. */
export const readRoot = implement("readRoot", async () =>
  ok({ name: "Sitewire console", api: "/v1", openapi: "/openapi.json" }),
)
