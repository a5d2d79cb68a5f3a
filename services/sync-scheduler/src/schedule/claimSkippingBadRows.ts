import type { Sql } from "@sitewire/database"
import { type Claim, type ClaimInput, chooseDue, claimConnection, claimDue } from "./claimDueSyncs.ts"
import { type Clocks, startStopwatch } from "./stopwatch.ts"
import { isFaultOfRow } from "../isBadRow.ts"
import type { GrantedRun, WindowSettings } from "../syncRun.ts"

export type Failing = { connection: string; error: unknown }

/**
 * Claims what is due. If a row makes the statement fail, the due connections are claimed one at a time, and those that
 * fail are returned and deferred by a window, so that the others proceed on every scheduler. Rejects with every other
 * error.
 */
export async function claimEach(
  sql: Sql,
  settings: WindowSettings,
  input: ClaimInput,
  clocks?: Clocks,
): Promise<Claim & { failing: Failing[] }> {
  try {
    return { ...(await claimDue(sql, settings, input, clocks)), failing: [] }
  } catch (error) {
    if (!isFaultOfRow(error)) throw error
  }
  const age = startStopwatch(clocks)
  const runs: GrantedRun[] = []
  const failing: Failing[] = []
  for (const connection of await chooseDue(sql, input)) {
    try {
      runs.push(...(await claimConnection(sql, settings, connection)))
    } catch (error) {
      // What was granted before Postgres became unavailable must start all the same.
      if (!isFaultOfRow(error) && runs.length > 0) break
      if (!isFaultOfRow(error)) throw error
      failing.push({ connection, error })
      await sql(deferByAWindow, [connection, settings.windowMs]).catch((error: unknown) => {
        if (runs.length === 0) throw error
      })
    }
  }
  return { age, runs, failing, limited: true, more: runs.length + failing.length > 0, nextDueInMs: null }
}

const deferByAWindow = `
update sync_window
set due_at = clock_timestamp() + $2::float8 * interval '1 millisecond', waiting_for_host = null
where connection_id = $1 and due_at <= clock_timestamp()
`
