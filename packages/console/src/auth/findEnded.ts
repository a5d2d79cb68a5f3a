import type { Sql } from "@sitewire/database"
import { sessionIsValid } from "../session/sessions.ts"
import type { Caller } from "./caller.ts"

const findValid = `
select id from api_key
 where id = any($1) and revoked_at is null and (expires_at is null or expires_at > now())
union all
select s.id from session s left join api_key k on k.id = s.key_id
 where s.id = any($2) and ${sessionIsValid}`

/** Of these callers, those whose API key or session is not valid any more. */
export async function findEnded(sql: Sql, callers: readonly Caller[]): Promise<Set<Caller>> {
  const keys = callers.flatMap(({ keyId, sessionId }) => (sessionId === null ? [keyId] : []))
  const sessions = callers.flatMap(({ sessionId }) => (sessionId === null ? [] : [sessionId]))
  const rows = await sql<{ id: string }>(findValid, [[...new Set(keys)], [...new Set(sessions)]])
  const valid = new Set(rows.map(({ id }) => id))
  return new Set(callers.filter(({ keyId, sessionId }) => !valid.has(sessionId ?? keyId)))
}
