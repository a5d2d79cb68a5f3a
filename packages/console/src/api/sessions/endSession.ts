import { endedSessionsSchema, sessionOwnerQuerySchema } from "@sitewire/contracts"
import { ownKey } from "../../auth/caller.ts"
import { defineRoute } from "../defineRoute.ts"
import { idParameter } from "../pathParameters.ts"
import { notFound } from "../problems.ts"
import { ok } from "../response.ts"
import { visibleSessions } from "./visibleSessions.ts"

const allow = { ...ownKey, admin: "all" } as const

export const endSession = defineRoute({
  method: "delete",
  path: "/v1/sessions/{id}",
  operation: "endSession",
  summary: "End a session of the web console",
  description: "Its next request is rejected, and its streams end within a second.",
  allow,
  params: idParameter,
  success: { status: 200, description: "The session has ended.", schema: endedSessionsSchema },
  async handle({ prisma }, { params: { id }, caller }) {
    const { count } = await prisma.session.deleteMany({ where: { AND: [{ id }, visibleSessions(caller)] } })
    if (count === 0) return notFound("session", id)
    return ok({ ended: count }, { audit: { target: { kind: "session", id } } })
  },
})

export const endSessions = defineRoute({
  method: "delete",
  path: "/v1/sessions",
  operation: "endSessions",
  summary: "End all sessions, those of one owner, or one's own",
  description:
    "With the scope admin and without `owner`, this ends all sessions, that of the request included. It revokes no key: whoever has one can sign in again.",
  allow,
  query: sessionOwnerQuerySchema,
  success: { status: 200, description: "The sessions have ended.", schema: endedSessionsSchema },
  async handle({ prisma }, { query: { owner }, caller }) {
    const { count } = await prisma.session.deleteMany({ where: visibleSessions(caller, owner) })
    const all = owner === undefined && caller.scopes.includes("admin")
    const id = all ? "all" : owner === undefined || owner === "current" ? caller.keyId : owner
    const changes = { ended: { old: null, new: count } }
    return ok({ ended: count }, { audit: { target: { kind: "session", id }, changes } })
  },
})
