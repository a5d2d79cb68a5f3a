import { apiKeySchema } from "@sitewire/contracts"
import { createApiKey as insertApiKey } from "../auth/apiKey.ts"
import { describeUnknownScopes, findUnknownScopes } from "../auth/keyScopes.ts"
import { invalidField, notFound, problem } from "../http/problems.ts"
import { changesOf, columnsOf, ok, responseOf } from "../http/response.ts"
import { implement } from "./implement.ts"
import { listPage, newestFirst } from "./pagination.ts"

export const createApiKey = implement("createApiKey", async ({ prisma, sql, keyMaxAgeMs }, { body }) => {
  const latest = keyMaxAgeMs === undefined ? null : new Date(Date.now() + keyMaxAgeMs)
  const { name, scopes } = body
  const expires_at = body.expires_at === undefined ? latest : new Date(body.expires_at)
  if (expires_at && expires_at.getTime() <= Date.now())
    return invalidField("body", "expires_at", "expires_at must be in the future")
  if (expires_at && latest && expires_at > latest) {
    const message = `expires_at must not be later than ${latest.toISOString()} (API_KEY_MAX_AGE)`
    return invalidField("body", "expires_at", message)
  }
  const unknown = await findUnknownScopes(sql, scopes)
  if (unknown.length > 0) return invalidField("body", "scopes", `scopes ${describeUnknownScopes(unknown)}`)
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

export const listApiKeys = implement("listApiKeys", async ({ prisma }, { query }) => {
  return listPage(
    query,
    {
      ...newestFirst,
      read: (after, count) =>
        prisma.apiKey.findMany({
          where: newestFirst.where(after),
          orderBy: newestFirst.orderBy,
          take: count,
          select: columnsOf(apiKeySchema),
        }),
    },
    (rows) => rows.map((row) => responseOf(apiKeySchema, row)),
  )
})

export const readApiKey = implement("readApiKey", async ({ prisma }, { params: { id } }) => {
  const row = await prisma.apiKey.findUnique({ where: { id }, select: columnsOf(apiKeySchema) })
  return row ? ok(responseOf(apiKeySchema, row)) : notFound("key", id)
})

export const readCurrentApiKey = implement("readCurrentApiKey", async ({ prisma }, { caller }) => {
  const row = await prisma.apiKey.findUnique({
    where: { id: caller.keyId },
    select: columnsOf(apiKeySchema),
  })
  if (row) return ok(responseOf(apiKeySchema, row))
  return problem("not-found", "The session has no API key: its user signed in with OpenID Connect.")
})

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
