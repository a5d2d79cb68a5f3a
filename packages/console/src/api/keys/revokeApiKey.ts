import { apiKeySchema } from "@sitewire/contracts"
import { implement } from "../implement.ts"
import { notFound } from "../problems.ts"
import { changesOf, ok } from "../response.ts"
import { columnsOf, responseOf } from "../responseOf.ts"

export const revokeApiKey = implement("revokeApiKey", async ({ prisma }, { params: { id } }) => {
  const { count } = await prisma.apiKey.updateMany({
    where: { id, revoked_at: null },
    data: { revoked_at: new Date() },
  })
  const row = await prisma.apiKey.findUnique({ where: { id }, select: columnsOf(apiKeySchema) })
  if (!row) return notFound("key", id)
  const changes = count > 0 ? changesOf({}, { revoked_at: row.revoked_at }) : {}
  return ok(responseOf(apiKeySchema, row), { audit: { target: { kind: "key", id }, changes } })
})
