import type { Sql } from "@sitewire/database"

export type KeyWithoutScope = { id: string; scopes: string[]; oldScopes: string[]; revokedAt: Date | null }

/**
 * Removes the scope of a deleted channel from all valid keys, so that none of them sees a later channel with the
 * same id. A key without another scope is revoked.
 */
export async function removeChannelScope(sql: Sql, channel: string): Promise<KeyWithoutScope[]> {
  return sql<KeyWithoutScope>(statement, [`channel:${channel}`])
}

/** The same for users of OpenID Connect who are signed in. Sessions of keys have the scopes of their keys. */
export async function removeChannelFromSessions(sql: Sql, channel: string): Promise<void> {
  const remove = "update session set scopes = array_remove(scopes, $1) where $1::text = any(scopes)"
  await sql(remove, [`channel:${channel}`])
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
