import { apiKeySchema } from "@sitewire/contracts"
import { createApiKey as insertApiKey } from "../../auth/apiKey.ts"
import { describeUnknownScopes, findUnknownScopes } from "../../auth/findUnknownScopes.ts"
import { invalidRequest } from "../../http/problems.ts"
import { changesOf, ok } from "../../http/response.ts"
import { columnsOf, responseOf } from "../../http/responseOf.ts"
import { implement } from "../implement.ts"

export const createApiKey = implement("createApiKey", async ({ prisma, sql, keyMaxAgeMs }, { body }) => {
  const latest = keyMaxAgeMs === undefined ? null : new Date(Date.now() + keyMaxAgeMs)
  const { name, scopes } = body
  const expires_at = body.expires_at === undefined ? latest : new Date(body.expires_at)
  if (expires_at && expires_at.getTime() <= Date.now())
    return invalidRequest("body", [{ field: "expires_at", message: "expires_at must be in the future" }])
  if (expires_at && latest && expires_at > latest) {
    const message = `expires_at must not be later than ${latest.toISOString()} (API_KEY_MAX_AGE)`
    return invalidRequest("body", [{ field: "expires_at", message }])
  }
  const unknown = await findUnknownScopes(sql, scopes)
  if (unknown.length > 0)
    return invalidRequest("body", [{ field: "scopes", message: `scopes ${describeUnknownScopes(unknown)}` }])
  const { id, key } = await insertApiKey({ prisma, name, scopes: [...new Set(scopes)], expires_at })
  const row = await prisma.apiKey.findUniqueOrThrow({ where: { id }, select: columnsOf(apiKeySchema) })
  return ok(
    { ...responseOf(apiKeySchema, row), key },
    {
      headers: { location: `/v1/keys/${id}` },
      audit: {
        target: { kind: "key", id },
        changes: changesOf({}, { name, scopes: row.scopes, expires_at }),
      },
    },
  )
})
