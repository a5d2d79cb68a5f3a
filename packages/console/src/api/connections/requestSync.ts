import { requestedSyncSchema } from "@sitewire/contracts"
import { earliestStart } from "@sitewire/syncs"
import { defineRoute } from "../defineRoute.ts"
import { idParameter } from "../pathParameters.ts"
import { notFound } from "../problems.ts"
import { ok } from "../response.ts"
import { endIfSuspended, findConnection } from "./findConnection.ts"
import { recordRequestedSync } from "./recordRequestedSync.ts"

export const requestSync = defineRoute({
  method: "post",
  path: "/v1/connections/{id}/sync",
  operation: "requestSync",
  summary: "Sync a connection as soon as its window allows",
  allow: { operate: "all", site: "own" },
  description:
    "Counts as a trigger: the sync starts at least 60 s after the one before it, and covers all triggers until then. The wait after a failed sync ends.",
  params: idParameter,
  success: { status: 202, description: "A sync will start.", schema: requestedSyncSchema },
  async handle({ sql }, { params: { id }, caller }) {
    if (!(await findConnection(sql, id, caller))) return notFound("connection", id)
    await endIfSuspended(sql)
    if (!(await recordRequestedSync(sql, id))) return notFound("connection", id)
    const earliest_start_at = await earliestStart(sql, id)
    return ok(
      { connection: id, earliest_start_at: earliest_start_at.toISOString() },
      { audit: { target: { kind: "connection", id } } },
    )
  },
})
