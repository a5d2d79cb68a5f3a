import type { ConsoleSession } from "@sitewire/contracts"
import type { Prisma } from "@sitewire/database/prisma"
import type { Caller } from "../../auth/caller.ts"

/** A filter of the sessions that the caller may see and end: all with the scope admin, otherwise its own. */
export function visibleSessions(caller: Caller, owner?: string) {
  const all = caller.scopes.includes("admin")
  const wanted = owner === "current" ? caller.keyId : owner
  return { AND: [all ? {} : ofOwner(caller.keyId), wanted === undefined ? {} : ofOwner(wanted)] }
}

const ofOwner = (id: string) => ({ OR: [{ key_id: id }, { user_id: id }] })

export const sessionColumns = {
  id: true,
  key: { select: { id: true, name: true, scopes: true, expires_at: true } },
  user_id: true,
  name: true,
  scopes: true,
  created_at: true,
  last_used_at: true,
  idle_seconds: true,
  expires_at: true,
} as const

type Row = Prisma.SessionGetPayload<{ select: typeof sessionColumns }>

export function sessionResponse({ key, ...row }: Row, caller: Caller): ConsoleSession {
  const ends = [row.expires_at, key?.expires_at ?? row.expires_at].map((at) => at.getTime())
  return {
    id: row.id,
    owner: key
      ? { kind: "key", id: key.id, name: key.name }
      : { kind: "user", id: row.user_id ?? "", name: row.name ?? "" },
    scopes: key?.scopes ?? row.scopes,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at.toISOString(),
    expires_at: new Date(Math.min(...ends)).toISOString(),
    current: row.id === caller.sessionId,
  }
}
