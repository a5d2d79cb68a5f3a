import { type Connection, connectionSchema } from "@sitewire/contracts"
import { named, type Sql } from "@sitewire/database"
import type { Prisma } from "@sitewire/database/prisma"
import { withoutQuery } from "../../audit/withoutQuery.ts"
import { type Caller, manages } from "../../auth/caller.ts"
import { describeSyncError } from "../../connections/describeSyncError.ts"
import { problem } from "../../http/problems.ts"
import { type Problem, responseOf } from "../../http/response.ts"
import { etagOf } from "../etag.ts"

const ofConnection = [
  "id",
  "site",
  "source",
  "runner",
  "token_replaced_at",
  "signing_secret_replaced_at",
  "request_header_names",
  "request_headers_changed_at",
  "created_at",
] as const
const ofWindow = [
  "due_at",
  "window_ends_at",
  "last_synced_at",
  "last_outcome",
  "last_error",
  "last_status",
  "last_success_at",
  "failing_since",
] as const

/** A connection with its window. It contains no token: only routes that return the token read it. */
export type ConnectionRow = Pick<Prisma.ConnectionModel, (typeof ofConnection)[number]> &
  Pick<Prisma.SyncWindowModel, (typeof ofWindow)[number] | "running"> &
  Pick<Connection, "last_outcome">

/** The columns of `ConnectionRow`: `c` is `connection`, `w` is `sync_window`. */
export const connectionColumns = [
  ...ofConnection.map((name) => `c.${name}`),
  ...ofWindow.map((name) => `w.${name}`),
  "coalesce(w.running, false) as running",
].join(", ")

export function connectionResponse(row: ConnectionRow, caller: Caller): Connection {
  const { id, site, source } = row
  const why = describeSyncError(row.last_error, row.last_status)
  const ofCaller = manages(caller, `site:${site}`, `connection:${id}`)
  return responseOf(connectionSchema, {
    ...row,
    source: ofCaller ? source : withoutQuery(source),
    state: stateOf(row),
    last_reason: why?.reason ?? null,
    next_step: why?.nextStep ?? null,
    // While a sync is running, `due_at` is not the time of the next sync, but the time at which the running
    // one counts as lost.
    next_sync_at: row.running ? null : row.due_at,
  })
}

/**
 * `stateConditions` has the same rules in SQL. Whether it fails is what its last finished sync says: a source that hangs is running
 * most of the time.
 */
function stateOf({ running, failing_since, due_at }: ConnectionRow): Connection["state"] {
  if (failing_since) return "failing"
  if (running) return "running"
  return due_at ? "waiting" : "idle"
}

/** The second line of `running` follows from the first, and lets Postgres use `sync_window_due_idx`. */
export const stateConditions: Record<Connection["state"], string> = {
  running: `w.running and w.failing_since is null
    and w.due_at is not null and w.waiting_for_host is null`,
  failing: "w.failing_since is not null",
  waiting: "not w.running and w.failing_since is null and w.due_at is not null",
  idle: "w.running is not true and w.failing_since is null and w.due_at is null",
}

/** Covers what a PATCH changes. With the state, each sync would make the ETag of a reader obsolete. */
export function connectionEtag({ id, source, runner, request_headers_changed_at }: Connection): string {
  return etagOf({ id, source, runner, request_headers_changed_at })
}

/** Null if the connection does not exist or the API key may not see it. */
export async function findConnection(sql: Sql, id: string, caller: Caller): Promise<ConnectionRow | null> {
  const [row] = await sql<ConnectionRow>(
    ...named(
      `select ${connectionColumns} from connection c left join sync_window w on w.connection_id = c.id
        where c.id = $id and ${visibleTo(caller)}`,
      { id, ...caller },
    ),
  )
  return row ?? null
}

/**
 * As `findConnection`, in a transaction. Other transactions cannot change the connection until this one ends.
 * If this process is suspended meanwhile, Postgres ends the transaction, because schedulers may wait for it.
 */
export async function lockConnection(sql: Sql, id: string, caller: Caller): Promise<ConnectionRow | null> {
  await endIfSuspended(sql)
  await sql(
    ...named(`select 1 from connection c where c.id = $id and ${visibleTo(caller)} for update`, {
      id,
      ...caller,
    }),
  )
  return findConnection(sql, id, caller)
}

/** For a transaction that locks a row of `sync_window`. */
export async function endIfSuspended(sql: Sql): Promise<void> {
  await sql("set local idle_in_transaction_session_timeout = '5s'")
}

/** SQL that `connection c` is one of those that the caller may see, with the parameters `$sites` and `$connections`. */
export function visibleTo({ sites, connections }: Pick<Caller, "sites" | "connections">): string {
  if (sites === "all" || connections === "all") return "true"
  // Only what is given, so that Postgres can use the index of either.
  const own = [
    ...(sites.length > 0 ? ["c.site = any ($sites::text[])"] : []),
    ...(connections.length > 0 ? ["c.id = any ($connections::text[])"] : []),
  ]
  return own.length === 0 ? "false" : `(${own.join(" or ")})`
}

/** The URL that a partner calls when its data has changed. `origin`, if set, replaces `https://<site>`. */
export function triggerUrl(connection: {
  id: string
  site: string
  token: string
  origin: string | undefined
}) {
  const { id, site, token, origin = `https://${site}` } = connection
  return `${origin}/connectors/hook/${id}/${token}/`
}

/**
 * Executors may have private addresses and get signed requests. So only operators may name an executor: a site's
 * owner could otherwise let a scheduler call any service in their range.
 */
export function rejectDelegate(caller: Caller, ...runners: string[]): Problem | null {
  if (caller.sites === "all" || !runners.includes("delegate")) return null
  return problem(
    "missing-scope",
    "The API key may neither create nor change a connection with the runner delegate. That needs the scope operate.",
  )
}
