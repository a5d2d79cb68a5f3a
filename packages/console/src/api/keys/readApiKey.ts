import { apiKeySchema } from "@sitewire/contracts"
import { notFound } from "../../http/problems.ts"
import { ok } from "../../http/response.ts"
import { columnsOf, responseOf } from "../../http/responseOf.ts"
import { implement } from "../implement.ts"

export const readApiKey = implement("readApiKey", async ({ prisma }, { params: { id } }) => {
  const row = await prisma.apiKey.findUnique({ where: { id }, select: columnsOf(apiKeySchema) })
  return row ? ok(responseOf(apiKeySchema, row)) : notFound("key", id)
})
