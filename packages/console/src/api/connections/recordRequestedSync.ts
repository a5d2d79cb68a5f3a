import type { Sql } from "@sitewire/database"
import { recordTriggers } from "@sitewire/syncs"
import { newId } from "../../newIds.ts"

/**
 * Records a trigger without a settling time, so a sync starts as soon as the window allows. A scheduler notices it
 * within 2 s. Returns false if the connection does not exist.
 */
export async function recordRequestedSync(sql: Sql, connection: string): Promise<boolean> {
  const [clock] = await sql<{ at: Date }>("select clock_timestamp() as at")
  const at = (clock?.at ?? new Date()).toISOString()
  const trigger = { connection, count: 1, firstAt: at, lastAt: at, correlation: newId("syn") }
  const { recorded } = await recordTriggers(sql, { settleMs: 0 }, [trigger])
  return recorded > 0
}
