import { type ConsoleSession, consoleSessionSchema } from "@sitewire/contracts"
import type { Prisma } from "@sitewire/database/prisma"
import type { Caller } from "../../auth/caller.ts"
import { columnsOf, responseOf } from "../../http/responseOf.ts"

/** A filter of the sessions that the caller may see and end: all with the scope admin, otherwise its own. */
export function visibleSessions(caller: Caller, owner?: string) {
  const all = caller.scopes.includes("admin")
  const wanted = owner === "current" ? caller.keyId : owner
  return { AND: [all ? {} : ofOwner(caller.keyId), wanted === undefined ? {} : ofOwner(wanted)] }
}

const ofOwner = (id: string) => ({ OR: [{ key_id: id }, { user_id: id }] })

export const sessionColumns = {
  ...columnsOf(consoleSessionSchema.omit({ owner: true, current: true })),
  key: { select: { id: true, name: true, scopes: true, expires_at: true } },
  user_id: true,
  name: true,
} as const

type Row = Prisma.SessionGetPayload<{ select: typeof sessionColumns }>

export function sessionResponse({ key, ...row }: Row, caller: Caller): ConsoleSession {
  const ends = [row.expires_at, key?.expires_at ?? row.expires_at].map((at) => at.getTime())
  return responseOf(consoleSessionSchema, {
    ...row,
    owner: key
      ? { kind: "key", id: key.id, name: key.name }
      : { kind: "user", id: row.user_id ?? "", name: row.name ?? "" },
    scopes: key?.scopes ?? row.scopes,
    expires_at: new Date(Math.min(...ends)),
    current: row.id === caller.sessionId,
  })
}
