import type { Sql } from "@sitewire/database"
import { earliestStart, recordTriggers } from "@sitewire/syncs"
import { notFound } from "../../http/problems.ts"
import { ok } from "../../http/response.ts"
import { newId } from "../../newIds.ts"
import { implement } from "../implement.ts"
import { endIfSuspended, findConnection } from "./connectionResponse.ts"

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

/**
 * Records a trigger without a settling time, so a sync starts as soon as the window allows. A scheduler notices it
 * within 2 s. Returns false if the connection does not exist.
 */
export async function recordRequestedSync(sql: Sql, connection: string): Promise<boolean> {
  const [clock] = await sql<{ at: Date }>("select clock_timestamp() as at")
  const at = (clock?.at ?? new Date()).toISOString()
  const trigger = { connection, count: 1, first_at: at, last_at: at, correlation: newId("syn") }
  const { recorded } = await recordTriggers(sql, { settleMs: 0 }, [trigger])
  return recorded > 0
}
