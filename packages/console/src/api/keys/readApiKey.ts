import { apiKeySchema } from "@sitewire/contracts"
import { defineRoute } from "../defineRoute.ts"
import { idParameter } from "../pathParameters.ts"
import { notFound } from "../problems.ts"
import { ok } from "../response.ts"
import { columnsOf, responseOf } from "../responseOf.ts"

export const readApiKey = defineRoute({
  method: "get",
  path: "/v1/keys/{id}",
  operation: "readApiKey",
  summary: "Read an API key's name, scopes and last use",
  allow: { admin: "all" },
  params: idParameter,
  success: { status: 200, description: "The key, without its secret part.", schema: apiKeySchema },
  async handle({ prisma }, { params: { id } }) {
    const row = await prisma.apiKey.findUnique({ where: { id }, select: columnsOf(apiKeySchema) })
    return row ? ok(responseOf(apiKeySchema, row)) : notFound("key", id)
  },
})
