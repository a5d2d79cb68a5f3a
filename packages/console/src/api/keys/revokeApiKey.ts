import { apiKeySchema } from "@sitewire/contracts"
import { notFound } from "../../http/problems.ts"
import { changesOf, ok } from "../../http/response.ts"
import { columnsOf, responseOf } from "../../http/responseOf.ts"
import { implement } from "../implement.ts"

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
