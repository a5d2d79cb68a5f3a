import type { Connection } from "@sitewire/contracts"

/**
 * The columns that a response needs. They are listed one by one so that only routes that return the token
 * read it.
 */
export const connectionColumns = {
  id: true,
  site: true,
  source: true,
  runner: true,
  tokenReplacedAt: true,
  createdAt: true,
} as const

type ConnectionRow = {
  id: string
  site: string
  source: string
  runner: Connection["runner"]
  tokenReplacedAt: Date | null
  createdAt: Date
}

type WindowRow = { running: boolean; failures: number; dueAt: Date | null; lastError: string | null }

export const windowColumns = {
  connectionId: true,
  running: true,
  failures: true,
  dueAt: true,
  lastError: true,
} as const

export function connectionResponse(row: ConnectionRow, window: WindowRow | null | undefined): Connection {
  return {
    id: row.id,
    site: row.site,
    source: row.source,
    runner: row.runner,
    state: stateOf(window),
    last_error: window?.lastError ?? null,
    // While a sync is running, `dueAt` is not the time of the next sync, but the time at which the running
    // one counts as lost.
    next_sync_at: window && !window.running ? (window.dueAt?.toISOString() ?? null) : null,
    created_at: row.createdAt.toISOString(),
    token_replaced_at: row.tokenReplacedAt?.toISOString() ?? null,
  }
}

function stateOf(window: WindowRow | null | undefined): Connection["state"] {
  if (!window) return "idle"
  if (window.running) return "running"
  if (window.failures > 0) return "failing"
  return window.dueAt ? "waiting" : "idle"
}
