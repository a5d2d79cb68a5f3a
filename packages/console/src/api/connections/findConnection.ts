import type { Sql } from "@sitewire/database"
import { type Caller, onlyVisible } from "../../auth/caller.ts"
import { type ConnectionRow, connectionColumns } from "./connectionResponse.ts"

/** Null if the connection does not exist or belongs to a site that the API key may not see. */
export async function findConnection(sql: Sql, id: string, caller: Caller): Promise<ConnectionRow | null> {
  const [row] = await sql<ConnectionRow>(
    `select ${connectionColumns} from connection c left join sync_window w on w.connection_id = c.id
     where c.id = $1 and ${isVisible(2)}`,
    [id, visibleSites(caller)],
  )
  return row ?? null
}

/**
 * As `findConnection`, in a transaction. Other transactions cannot change the connection until this one ends.
 * If this process is suspended meanwhile, Postgres ends the transaction, because schedulers may wait for it.
 */
export async function lockConnection(sql: Sql, id: string, caller: Caller): Promise<ConnectionRow | null> {
  await endIfSuspended(sql)
  await sql(`select 1 from connection c where c.id = $1 and ${isVisible(2)} for update`, [
    id,
    visibleSites(caller),
  ])
  return findConnection(sql, id, caller)
}

/** For a transaction that locks a row of `sync_window`. */
export async function endIfSuspended(sql: Sql): Promise<void> {
  await sql("set local idle_in_transaction_session_timeout = '5s'")
}

/** A condition with `visibleSites` as the parameter with this number. */
function isVisible(parameter: number): string {
  return `($${parameter}::text[] is null or c.site = any ($${parameter}::text[]))`
}

/** Null: all sites. */
export function visibleSites(caller: Caller): string[] | null {
  return onlyVisible(caller.sites)?.in ?? null
}
