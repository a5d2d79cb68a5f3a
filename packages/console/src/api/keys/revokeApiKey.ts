import { apiKeySchema } from "@sitewire/contracts"
import { defineRoute } from "../defineRoute.ts"
import { idParameter } from "../pathParameters.ts"
import { notFound } from "../problems.ts"
import { changesOf, ok } from "../response.ts"
import { columnsOf, responseOf } from "../responseOf.ts"

export const revokeApiKey = defineRoute({
  method: "delete",
  path: "/v1/keys/{id}",
  operation: "revokeApiKey",
  summary: "Revoke an API key",
  allow: { admin: "all" },
  description:
    "When the response arrives, no console accepts the key. It cannot be undone. The key stays in the list. Revoking a revoked key changes nothing. A key may revoke itself.",
  params: idParameter,
  success: { status: 200, description: "The revoked key.", schema: apiKeySchema },
  async handle({ prisma }, { params: { id } }) {
    const { count } = await prisma.apiKey.updateMany({
      where: { id, revoked_at: null },
      data: { revoked_at: new Date() },
    })
    const row = await prisma.apiKey.findUnique({ where: { id }, select: columnsOf(apiKeySchema) })
    if (!row) return notFound("key", id)
    const changes = count > 0 ? changesOf({}, { revoked_at: row.revoked_at }) : {}
    return ok(responseOf(apiKeySchema, row), { audit: { target: { kind: "key", id }, changes } })
  },
})
