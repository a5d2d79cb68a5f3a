import type { Sql } from "@sitewire/database"
import { type Audit, changesOf } from "../api/response.ts"

type Row = { id: string; scopes: string[]; oldScopes: string[]; revokedAt: Date | null }

/**
 * Removes the scope of a deleted channel or connection from all valid keys, and from sessions of users of OpenID Connect.
 * A key without another scope is revoked. Sessions of keys have the scopes of their keys.
 */
export async function removeScope(
  sql: Sql,
  scope: string,
): Promise<{ id: string; revoked: boolean; audit: Audit }[]> {
  await sql("update session set scopes = array_remove(scopes, $1) where $1::text = any(scopes)", [scope])
  const rows = await sql<Row>(statement, [scope])
  return rows.map(({ id, scopes, oldScopes, revokedAt }) => {
    const before = { scopes: oldScopes, revoked_at: null }
    const changes = changesOf(before, { scopes, revoked_at: revokedAt?.toISOString() ?? null })
    return { id, revoked: revokedAt !== null, audit: { target: { kind: "key", id }, changes } }
  })
}

const statement = `
with affected as materialized (
  select id, scopes from api_key
   where $1::text = any(scopes) and revoked_at is null and (expires_at is null or expires_at > now())
   order by id for update
)
update api_key
   set scopes = case when affected.scopes = array[$1] then affected.scopes
                     else array_remove(affected.scopes, $1) end,
       revoked_at = case when affected.scopes = array[$1] then now() end
  from affected where api_key.id = affected.id
returning api_key.id, api_key.scopes, affected.scopes as "oldScopes", api_key.revoked_at as "revokedAt"`
