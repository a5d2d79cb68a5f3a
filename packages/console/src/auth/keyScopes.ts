import type { Sql } from "@sitewire/database"
import type { Prisma } from "@sitewire/database/prisma"
import { type Audit, changesOf } from "../http/response.ts"
import { keyIsValid } from "./apiKey.ts"
import { subjectsOf } from "./caller.ts"

// `for key share`: of a creation of a key and a deletion at the same time, one waits for the other.
const channels = "select 'channel:' || id as scope from channel where id = any($1) for key share"
const connections = "select 'connection:' || id as scope from connection where id = any($1) for key share"
// A site exists if it has a connection.
const sites = `
select 'site:' || site as scope from unnest($1::text[]) as named (site)
 where exists (select from connection where connection.site = named.site)`

/** The scopes that name a channel, a site or a connection that does not exist. `sql` runs within a transaction. */
export async function findUnknownScopes(sql: Sql, scopes: readonly string[]): Promise<string[]> {
  const known = new Set<string>()
  for (const [name, statement] of [
    ["channel", channels],
    ["connection", connections],
    ["site", sites],
  ] as const) {
    const named = subjectsOf(scopes, name)
    const rows = named.length === 0 ? [] : await sql<{ scope: string }>(statement, [named])
    for (const { scope } of rows) known.add(scope)
  }
  return scopes.filter((scope) => scope.includes(":") && !known.has(scope))
}

export function describeUnknownScopes(unknown: readonly string[]): string {
  return `names a channel, a site or a connection that does not exist: ${unknown.join(", ")}. Correct it, or create that first (of a site, its first connection)`
}

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
   where $1::text = any(scopes) and ${keyIsValid("api_key")}
   order by id for update
)
update api_key
   set scopes = case when affected.scopes = array[$1] then affected.scopes
                     else array_remove(affected.scopes, $1) end,
       revoked_at = case when affected.scopes = array[$1] then now() end
  from affected where api_key.id = affected.id
returning api_key.id, api_key.scopes, affected.scopes as old_scopes, api_key.revoked_at`
