import type { Sql } from "@sitewire/database"
import { sessionIsValid } from "../session/sessions.ts"
import { keyIsValid } from "./apiKey.ts"
import type { Caller } from "./caller.ts"

const statement = `
select id, scopes from api_key
 where id = any($1) and ${keyIsValid("api_key")}
union all
select s.id, coalesce(k.scopes, s.scopes) from session s left join api_key k on k.id = s.key_id
 where s.id = any($2) and ${sessionIsValid}`

/** The scopes that each caller has now. A caller is missing if its API key or session is not valid any more. */
export async function readScopes(
  sql: Sql,
  callers: readonly Caller[],
): Promise<Map<Caller, readonly string[]>> {
  const keys = callers.flatMap(({ keyId, sessionId }) => (sessionId === null ? [keyId] : []))
  const sessions = callers.flatMap(({ sessionId }) => (sessionId === null ? [] : [sessionId]))
  const rows = await sql<{ id: string; scopes: string[] }>(statement, [
    [...new Set(keys)],
    [...new Set(sessions)],
  ])
  const valid = new Map(rows.map(({ id, scopes }) => [id, scopes]))
  return new Map(
    callers.flatMap((caller) => {
      const scopes = valid.get(caller.sessionId ?? caller.keyId)
      return scopes ? [[caller, scopes] as const] : []
    }),
  )
}
