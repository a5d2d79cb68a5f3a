import type { Sql } from "@sitewire/database"
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
