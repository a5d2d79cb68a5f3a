import { apiKeySchema, createApiKeySchema, createdApiKeySchema } from "@sitewire/contracts"
import { createApiKey as insertApiKey } from "../../auth/apiKey.ts"
import { describeUnknownScopes, findUnknownScopes } from "../../auth/findUnknownScopes.ts"
import { defineRoute } from "../defineRoute.ts"
import { invalidRequest } from "../problems.ts"
import { changesOf, ok } from "../response.ts"
import { responseOf } from "../responseOf.ts"
import { apiKeyColumns } from "./apiKeyColumns.ts"

export const createApiKey = defineRoute({
  method: "post",
  path: "/v1/keys",
  operation: "createApiKey",
  summary: "Create an API key",
  allow: { admin: "all" },
  shownOnce: "DELETE /v1/keys/{id} revokes this key; then create another.",
  description: "The response contains the key, which is never shown again.",
  body: createApiKeySchema,
  success: { status: 201, description: "The key.", schema: createdApiKeySchema },
  async handle({ prisma, sql, keyMaxAgeMs }, { body: { name, scopes, expires_at } }) {
    const latest = keyMaxAgeMs === undefined ? null : new Date(Date.now() + keyMaxAgeMs)
    const expiresAt = expires_at === undefined ? latest : new Date(expires_at)
    if (expiresAt && expiresAt.getTime() <= Date.now())
      return invalidRequest("body", [{ field: "expires_at", message: "expires_at must be in the future" }])
    if (expiresAt && latest && expiresAt > latest) {
      const message = `expires_at must not be later than ${latest.toISOString()} (API_KEY_MAX_AGE)`
      return invalidRequest("body", [{ field: "expires_at", message }])
    }
    const unknown = await findUnknownScopes(sql, scopes)
    if (unknown.length > 0)
      return invalidRequest("body", [
        { field: "scopes", message: `scopes ${describeUnknownScopes(unknown)}` },
      ])
    const { id, key } = await insertApiKey({ prisma, name, scopes: [...new Set(scopes)], expiresAt })
    const row = await prisma.apiKey.findUniqueOrThrow({ where: { id }, select: apiKeyColumns })
    return ok(
      { ...responseOf(apiKeySchema, row), key },
      {
        headers: { location: `/v1/keys/${id}` },
        audit: {
          target: { kind: "key", id },
          changes: changesOf({}, { name, scopes: row.scopes, expires_at: row.expires_at }),
        },
      },
    )
  },
})
