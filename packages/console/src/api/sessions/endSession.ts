import { notFound } from "../../http/problems.ts"
import { ok } from "../../http/response.ts"
import { implement } from "../implement.ts"
import { visibleSessions } from "./visibleSessions.ts"

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
