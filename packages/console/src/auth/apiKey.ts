import { isApiKey, newApiKey, sha256 } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import type { Prisma, PrismaQueries } from "@sitewire/database/prisma"
import { newId } from "../newIds.ts"

/** Creates an API key. Only its SHA-256 is stored, so `key` cannot be read again. */
export async function createApiKey({
  prisma,
  name,
  scopes,
  expires_at = null,
}: {
  prisma: Pick<PrismaQueries, "apiKey">
  name: string
  scopes: readonly string[]
  expires_at?: Date | null
}): Promise<{ id: string; key: string }> {
  const id = newId("key")
  const key = newApiKey()
  await prisma.apiKey.create({
    data: { id, name, key_sha256: sha256(key), scopes: [...scopes], expires_at },
  })
  return { id, key }
}

export type StoredKey = Pick<Prisma.ApiKeyModel, "id" | "name" | "scopes">

/** SQL: the row `key` of `api_key` is a key that is accepted now. */
export const keyIsValid = (key: string) =>
  `${key}.revoked_at is null and (${key}.expires_at is null or ${key}.expires_at > now())`

// The key is found by an index on its hash, without a comparison in constant time. The time of the search may
// reveal bits of the hash, but none of the key.
const findAndMarkUsed = `
with found as (
  select id, name, scopes, last_used_at from api_key
   where key_sha256 = $1 and ${keyIsValid("api_key")}
), used as (
  update api_key set last_used_at = now() from found
   where api_key.id = found.id
     and (found.last_used_at is null or found.last_used_at < now() - interval '1 minute')
)
select id, name, scopes from found`

/** The API key that an Authorization header contains. Null if it contains none: what was never a key needs no query. */
export function readApiKey(authorization: string): string | null {
  const [scheme = "", key = "", ...rest] = authorization.split(" ")
  return scheme.toLowerCase() === "bearer" && rest.length === 0 && isApiKey(key) ? key : null
}

/** Finds a valid API key by the key itself. Keys are not cached, so that a revoked key is rejected at once. */
export async function findKey(sql: Sql, key: string): Promise<StoredKey | null> {
  if (!isApiKey(key)) return null
  const [found] = await sql<StoredKey>(findAndMarkUsed, [sha256(key)])
  return found ?? null
}
