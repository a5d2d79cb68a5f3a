import { ok } from "../../http/response.ts"
import { implement } from "../implement.ts"

export const readOpenApi = implement("readOpenApi", async ({ openApiDocument }) => ok(openApiDocument))
