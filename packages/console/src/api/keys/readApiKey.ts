import { apiKeySchema } from "@sitewire/contracts"
import { implement } from "../implement.ts"
import { notFound } from "../problems.ts"
import { ok } from "../response.ts"
import { columnsOf, responseOf } from "../responseOf.ts"

export const readApiKey = implement("readApiKey", async ({ prisma }, { params: { id } }) => {
  const row = await prisma.apiKey.findUnique({ where: { id }, select: columnsOf(apiKeySchema) })
  return row ? ok(responseOf(apiKeySchema, row)) : notFound("key", id)
})
