import type { Sql } from "@sitewire/database"
import type { Caller } from "../../auth/caller.ts"
import { type ConnectionRow, connectionColumns } from "./connectionResponse.ts"

/** Null if the connection does not exist or the API key may not see it. */
export async function findConnection(sql: Sql, id: string, caller: Caller): Promise<ConnectionRow | null> {
  const { values, where } = visible(id, caller)
  const [row] = await sql<ConnectionRow>(
    `select ${connectionColumns} from connection c left join sync_window w on w.connection_id = c.id where ${where}`,
    values,
  )
  return row ?? null
}

/**
 * As `findConnection`, in a transaction. Other transactions cannot change the connection until this one ends.
 * If this process is suspended meanwhile, Postgres ends the transaction, because schedulers may wait for it.
 */
export async function lockConnection(sql: Sql, id: string, caller: Caller): Promise<ConnectionRow | null> {
  await endIfSuspended(sql)
  const { values, where } = visible(id, caller)
  await sql(`select 1 from connection c where ${where} for update`, values)
  return findConnection(sql, id, caller)
}

/** For a transaction that locks a row of `sync_window`. */
export async function endIfSuspended(sql: Sql): Promise<void> {
  await sql("set local idle_in_transaction_session_timeout = '5s'")
}

function visible(id: string, caller: Caller): { values: unknown[]; where: string } {
  const values: unknown[] = [id]
  const conditions = visibleConnections(caller, (value) => `$${values.push(value)}`)
  return { values, where: ["c.id = $1", ...conditions].join(" and ") }
}

/** Conditions on `connection c` for those that the caller may see. None: it may see all. */
export function visibleConnections(
  { sites, connections }: Pick<Caller, "sites" | "connections">,
  bind: (value: unknown) => string,
): string[] {
  if (sites === "all" || connections === "all") return []
  // Only what is given, so that Postgres can use the index of either.
  const own = [
    ...(sites.length > 0 ? [`c.site = any (${bind(sites)}::text[])`] : []),
    ...(connections.length > 0 ? [`c.id = any (${bind(connections)}::text[])`] : []),
  ]
  return [own.length === 0 ? "false" : `(${own.join(" or ")})`]
}
