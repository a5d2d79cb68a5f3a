import { type ConsoleSession, consoleSessionSchema } from "@sitewire/contracts"
import type { Prisma } from "@sitewire/database/prisma"
import type { Caller } from "../auth/caller.ts"
import { notFound, problem } from "../http/problems.ts"
import { columnsOf, ok, responseOf } from "../http/response.ts"
import { createSignInLink as insertSignInLink } from "../session/signInLinks.ts"
import { implement } from "./implement.ts"
import { listPage, newestFirst } from "./pagination.ts"

export const createSignInLink = implement(
  "createSignInLink",
  async ({ sql, consoleOrigin, signInWithKey }, { caller, headers }) => {
    if (!signInWithKey) return problem("sign-in-disabled")
    if (caller.sessionId !== null) return problem("key-required")
    const { id, token, expires_at } = await insertSignInLink(sql, caller.keyId)
    const url = `${consoleOrigin.of(headers)}/sign-in#link=${token}`
    return ok(
      { id, url, expires_at: expires_at.toISOString() },
      { audit: { target: { kind: "sign_in_link", id } } },
    )
  },
)

export const listSessions = implement("listSessions", async ({ prisma }, { query, caller }) => {
  return listPage(
    query,
    {
      ...newestFirst,
      read: (after, count) =>
        prisma.session.findMany({
          where: {
            AND: [
              visibleSessions(caller, query.owner),
              { expires_at: { gt: new Date() } },
              newestFirst.where(after),
            ],
          },
          orderBy: newestFirst.orderBy,
          take: count,
          select: sessionColumns,
        }),
    },
    (rows) => rows.map((row) => sessionResponse(row, caller)),
  )
})

export const endSession = implement("endSession", async ({ prisma }, { params: { id }, caller }) => {
  const { count } = await prisma.session.deleteMany({ where: { AND: [{ id }, visibleSessions(caller)] } })
  if (count === 0) return notFound("session", id)
  return ok({ ended: count }, { audit: { target: { kind: "session", id } } })
})

export const endSessions = implement("endSessions", async ({ prisma }, { query: { owner }, caller }) => {
  const { count } = await prisma.session.deleteMany({ where: visibleSessions(caller, owner) })
  const all = owner === undefined && caller.scopes.includes("admin")
  const id = all ? "all" : owner === undefined || owner === "current" ? caller.keyId : owner
  const changes = { ended: { old: null, new: count } }
  return ok({ ended: count }, { audit: { target: { kind: "session", id }, changes } })
})

/** A filter of the sessions that the caller may see and end: all with the scope admin, otherwise its own. */
function visibleSessions(caller: Caller, owner?: string) {
  const all = caller.scopes.includes("admin")
  const wanted = owner === "current" ? caller.keyId : owner
  return { AND: [all ? {} : ofOwner(caller.keyId), wanted === undefined ? {} : ofOwner(wanted)] }
}

const ofOwner = (id: string) => ({ OR: [{ key_id: id }, { user_id: id }] })

const sessionColumns = {
  ...columnsOf(consoleSessionSchema.omit({ owner: true, current: true })),
  key: { select: { id: true, name: true, scopes: true, expires_at: true } },
  user_id: true,
  name: true,
} as const

type Row = Prisma.SessionGetPayload<{ select: typeof sessionColumns }>

function sessionResponse({ key, ...row }: Row, caller: Caller): ConsoleSession {
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
