import { ok } from "../../http/response.ts"
import { implement } from "../implement.ts"

/** Browsers get the web console instead. */
export const readRoot = implement("readRoot", async () =>
  ok({ name: "Sitewire console", api: "/v1", openapi: "/openapi.json" }),
)
