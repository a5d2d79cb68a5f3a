import { type Clocks, type Sql, startStopwatch } from "@sitewire/database"
import { isBadRow } from "../isBadRow.ts"
import type { GrantedRun, WindowSettings } from "../syncRun.ts"
import {
  type Claim,
  type ClaimInput,
  claimConnection,
  claimDueSyncs,
  findDueConnections,
} from "./claimDueSyncs.ts"

export type BadRow = { connection: string; error: unknown }

/**
 * Claims due syncs. If the values of a row make the statement fail, claims one connection at a time instead.
 * A connection that still fails becomes due one window later, so that all schedulers can claim the others.
 */
export async function claimSkippingBadRows(
  sql: Sql,
  settings: WindowSettings,
  input: ClaimInput,
  clocks?: Clocks,
): Promise<Claim & { badRows: BadRow[] }> {
  try {
    return { ...(await claimDueSyncs(sql, settings, input, clocks)), badRows: [] }
  } catch (error) {
    if (!isBadRow(error)) throw error
  }
  const age = startStopwatch(clocks)
  const runs: GrantedRun[] = []
  const badRows: BadRow[] = []
  for (const connection of await findDueConnections(sql, input)) {
    try {
      runs.push(...(await claimConnection(sql, settings, connection)))
    } catch (error) {
      // Postgres has become unavailable. Return the runs that were granted before, because they must start.
      if (!isBadRow(error) && runs.length > 0) break
      if (!isBadRow(error)) throw error
      badRows.push({ connection, error })
      await sql(deferByAWindow, [connection, settings.windowMs]).catch((error: unknown) => {
        if (runs.length === 0) throw error
      })
    }
  }
  const more = runs.length + badRows.length > 0
  return { age, runs, badRows, limited: true, more, lastQueue: null, nextDueInMs: null, oldestDueMs: 0 }
}

const deferByAWindow = `
update sync_window
set due_at = clock_timestamp() + $2::float8 * interval '1 millisecond', waiting_for_host = null
where connection_id = $1 and due_at <= clock_timestamp()
`
