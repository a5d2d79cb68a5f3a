import type { Sql } from "@sitewire/database"
import type { Prisma } from "@sitewire/database/prisma"
import { type Audit, changesOf } from "../http/response.ts"

type Row = Pick<Prisma.ApiKeyModel, "id" | "scopes" | "revoked_at"> & { old_scopes: string[] }

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
  return rows.map(({ id, scopes, old_scopes, revoked_at }) => {
    const changes = changesOf({ scopes: old_scopes, revoked_at: null }, { scopes, revoked_at })
    return { id, revoked: revoked_at !== null, audit: { target: { kind: "key", id }, changes } }
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
returning api_key.id, api_key.scopes, affected.scopes as old_scopes, api_key.revoked_at`
