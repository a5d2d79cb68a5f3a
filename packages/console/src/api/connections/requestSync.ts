import { earliestStart } from "@sitewire/syncs"
import { notFound } from "../../http/problems.ts"
import { ok } from "../../http/response.ts"
import { implement } from "../implement.ts"
import { endIfSuspended, findConnection } from "./findConnection.ts"
import { recordRequestedSync } from "./recordRequestedSync.ts"

export const requestSync = implement("requestSync", async ({ sql }, { params: { id }, caller }) => {
  if (!(await findConnection(sql, id, caller))) return notFound("connection", id)
  await endIfSuspended(sql)
  if (!(await recordRequestedSync(sql, id))) return notFound("connection", id)
  const earliest_start_at = await earliestStart(sql, id)
  return ok(
    { connection: id, earliest_start_at: earliest_start_at.toISOString() },
    { audit: { target: { kind: "connection", id } } },
  )
})
