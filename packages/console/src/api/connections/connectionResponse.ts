import type { Connection } from "@sitewire/contracts"
import { type Caller, manages } from "../../auth/caller.ts"
import { etagOf } from "../etag.ts"
import { withoutQuery } from "../withoutQuery.ts"
import { describeSyncError } from "./describeSyncError.ts"

/** A connection with its window. It contains no token: only routes that return the token read it. */
export type ConnectionRow = {
  id: string
  site: string
  source: string
  runner: Connection["runner"]
  token_replaced_at: Date | null
  signing_secret_replaced_at: Date | null
  request_header_names: string[]
  request_headers_changed_at: Date | null
  created_at: Date
  running: boolean
  due_at: Date | null
  window_ends_at: Date | null
  last_synced_at: Date | null
  last_outcome: Connection["last_outcome"]
  last_error: string | null
  last_status: number | null
  last_success_at: Date | null
  failing_since: Date | null
}

/** The columns of `ConnectionRow`: `c` is `connection`, `w` is `sync_window`. */
export const connectionColumns = `c.id, c.site, c.source, c.runner, c.token_replaced_at, c.signing_secret_replaced_at, c.request_header_names,
  c.request_headers_changed_at, c.created_at, coalesce(w.running, false) as running, w.due_at, w.window_ends_at, w.last_synced_at, w.last_outcome, w.last_error,
  w.last_status, w.last_success_at, w.failing_since`

export function connectionResponse(row: ConnectionRow, caller: Caller): Connection {
  const { id, site, source } = row
  const why = describeSyncError(row.last_error, row.last_status)
  const ofCaller = manages(caller, `site:${site}`, `connection:${id}`)
  return {
    id,
    site,
    source: ofCaller ? source : withoutQuery(source),
    runner: row.runner,
    state: stateOf(row),
    last_synced_at: row.last_synced_at?.toISOString() ?? null,
    last_outcome: row.last_outcome,
    last_error: row.last_error,
    last_status: row.last_status,
    last_reason: why?.reason ?? null,
    next_step: why?.nextStep ?? null,
    last_success_at: row.last_success_at?.toISOString() ?? null,
    failing_since: row.failing_since?.toISOString() ?? null,
    window_ends_at: row.window_ends_at?.toISOString() ?? null,
    // While a sync is running, `due_at` is not the time of the next sync, but the time at which the running
    // one counts as lost.
    next_sync_at: row.running ? null : (row.due_at?.toISOString() ?? null),
    created_at: row.created_at.toISOString(),
    token_replaced_at: row.token_replaced_at?.toISOString() ?? null,
    signing_secret_replaced_at: row.signing_secret_replaced_at?.toISOString() ?? null,
    request_header_names: row.request_header_names,
    request_headers_changed_at: row.request_headers_changed_at?.toISOString() ?? null,
  }
}

/** `stateConditions` has the same rules in SQL. */
function stateOf({ running, failing_since, due_at }: ConnectionRow): Connection["state"] {
  if (running) return "running"
  if (failing_since) return "failing"
  return due_at ? "waiting" : "idle"
}

/** The second line of `running` follows from the first, and lets Postgres use `sync_window_due_idx`. */
export const stateConditions: Record<Connection["state"], string> = {
  running: `w.running
    and w.due_at is not null and w.waiting_for_host is null`,
  failing: "not w.running and w.failing_since is not null",
  waiting: "not w.running and w.failing_since is null and w.due_at is not null",
  idle: "w.running is not true and w.failing_since is null and w.due_at is null",
}

/** Covers what a PATCH changes. With the state, each sync would make the ETag of a reader obsolete. */
export function connectionEtag({ id, source, runner, request_headers_changed_at }: Connection): string {
  return etagOf({ id, source, runner, request_headers_changed_at })
}
