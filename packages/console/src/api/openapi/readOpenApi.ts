import { implement } from "../implement.ts"
import { ok } from "../response.ts"

export const readOpenApi = implement("readOpenApi", async ({ openApiDocument }) => ok(openApiDocument))
