import { isSecret, newSecret, sha256 } from "@sitewire/contracts"
import { named, type Sql } from "@sitewire/database"
import { type Prisma, type PrismaClient, sqlWithin } from "@sitewire/database/prisma"
import type { Logger } from "@sitewire/runtime"
import type { Request, Response } from "express"
import {
  insertAudit,
  logAudit,
  type NewAuditEntry,
  originOf,
  type RequestOrigin,
} from "../audit/auditEntry.ts"
import { keyIsValid, type StoredKey } from "../auth/apiKey.ts"
import { changesOf } from "../http/response.ts"
import { newId } from "../newIds.ts"
import { setSessionCookie } from "./sessionCookie.ts"

/** A user of OpenID Connect. `id` is a digest of the provider and the subject. */
export type User = { id: string; name: string; scopes: string[] }

/** Who signs in. `linkId`: with a sign-in link of the key. */
export type SigningIn =
  | { method: "key"; key: StoredKey }
  | { method: "link"; key: StoredKey; linkId: string }
  | { method: "oidc"; user: User }

/** How long a session lasts at most, and how long without a request. */
export type SessionLimits = { maxAgeMs: number; idleMs: number }

// A session cannot outlive its key, even if the key's expiry is changed later: every use checks the key.
const insertSession = `
insert into session (id, token_sha256, key_id, user_id, name, scopes, idle_seconds, expires_at)
values ($id, $token, $key_id, $user_id, $name, $scopes, $idle_seconds,
        least(now() + $max_seconds * interval '1 second', (select expires_at from api_key where id = $key_id)))
returning expires_at`

type Context = {
  prisma: PrismaClient
  consoleOrigin: { isSecure: boolean }
  sessionLimits: SessionLimits
  count(method: SigningIn["method"], outcome: "accepted"): void
  log: Logger
}

/** Creates a session of whoever `find` finds in its transaction, and sets its cookie. Returns its token. Null: nobody was found. */
export async function createSession(
  { prisma, consoleOrigin, sessionLimits: { maxAgeMs, idleMs }, count, log }: Context,
  request: Request,
  response: Response,
  find: (sql: Sql) => Promise<SigningIn | null>,
): Promise<string | null> {
  const id = newId("ses")
  const token = newSecret("swc")
  const lengths = { idle_seconds: Math.ceil(idleMs / 1000), max_seconds: Math.ceil(maxAgeMs / 1000) }
  const created = await prisma.$transaction(async (transaction) => {
    const sql = sqlWithin(transaction)
    const signingIn = await find(sql)
    if (!signingIn) return null
    const { method } = signingIn
    const { id: ownerId, name, scopes } = method === "oidc" ? signingIn.user : signingIn.key
    const owner =
      method === "oidc"
        ? { key_id: null, user_id: ownerId, name, scopes }
        : { key_id: ownerId, user_id: null, name: null, scopes: [] }
    const [row] = await sql<{ expires_at: Date }>(
      ...named(insertSession, { id, token: sha256(token), ...owner, ...lengths }),
    )
    if (!row) throw new Error("the session was not inserted")
    const { expires_at } = row
    const link = method === "link" ? { sign_in_link: signingIn.linkId } : {}
    const entry: NewAuditEntry = {
      ...originOf(request, response),
      key_id: ownerId,
      key_name: name,
      operation: "signIn",
      target: { kind: "session", id },
      changes: changesOf({}, { method, ...link, scopes, expires_at }),
    }
    await insertAudit(transaction, [entry])
    return { method, expires_at, entry }
  })
  if (!created) return null
  count(created.method, "accepted")
  logAudit(log, [created.entry])
  setSessionCookie(response, consoleOrigin, token, created.expires_at)
  return token
}

/** A session that is valid now. `owner_id` and `name` are those of whoever signed in: an API key or a user. */
export type FoundSession = Pick<Prisma.SessionModel, "id" | "scopes" | "expires_at"> & {
  owner_id: string
  name: string
}

/** For `session s left join api_key k on k.id = s.key_id`. */
export const sessionIsValid = `s.expires_at > now() and s.last_used_at > now() - s.idle_seconds * interval '1 second'
  and (s.key_id is null or
  (k.id is not null and ${keyIsValid("k")}))`

const findAndMarkUsed = `
with found as (
  select s.id, s.key_id, coalesce(k.id, s.user_id) as owner_id, coalesce(k.name, s.name) as name,
         coalesce(k.scopes, s.scopes) as scopes, least(s.expires_at, k.expires_at) as expires_at, k.last_used_at,
         s.last_used_at as session_used_at
    from session s left join api_key k on k.id = s.key_id
   where s.token_sha256 = $1 and ${sessionIsValid}
), seen as (
  update session set last_used_at = now() from found
   where session.id = found.id and found.session_used_at < now() - interval '1 minute'
), used as (
  update api_key set last_used_at = now() from found
   where api_key.id = found.key_id
     and (found.last_used_at is null or found.last_used_at < now() - interval '1 minute')
)
select id, owner_id, name, scopes, expires_at from found`

/** Sessions are not cached, so that a session ends at once with its key. */
export async function findSession(sql: Sql, token: string): Promise<FoundSession | null> {
  if (!isSecret("swc", token)) return null
  const [found] = await sql<FoundSession>(findAndMarkUsed, [sha256(token)])
  return found ?? null
}

export async function deleteSession(
  { prisma, log }: { prisma: PrismaClient; log: Logger },
  { id, owner_id, name }: Pick<FoundSession, "id" | "owner_id" | "name">,
  origin: RequestOrigin,
): Promise<void> {
  const entry: NewAuditEntry = {
    ...origin,
    key_id: owner_id,
    key_name: name,
    operation: "signOut",
    target: { kind: "session", id },
  }
  const deleted = await prisma.$transaction(async (within) => {
    const { count } = await within.session.deleteMany({ where: { id } })
    if (count > 0) await insertAudit(within, [entry])
    return count > 0
  })
  if (deleted) logAudit(log, [entry])
}
