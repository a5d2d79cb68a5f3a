import { type Logger, longLockMs } from "@sitewire/runtime"

/** More connections are not logged until no row is locked any more. */
const mostReports = 10

/** The connections whose rows in `sync_window` were locked when their triggers should have been recorded. */
export function trackLockedConnections(log: Logger) {
  const since = new Map<string, number>()
  const reported = new Set<string>()

  function report(connection: string): void {
    if (reported.has(connection) || reported.size >= mostReports) return
    reported.add(connection)
    log.warn(
      { connection },
      "the row of a connection in sync_window is locked by another transaction, so its triggers wait; others proceed",
    )
  }

  return {
    any: () => since.size > 0,
    /** `tried`: connections whose triggers were to be recorded. `locked`: those of them whose rows are locked. */
    update(tried: readonly string[], locked: ReadonlySet<string>): void {
      if (since.size === 0 && locked.size === 0) return
      const now = performance.now()
      for (const connection of tried) {
        const lockedAt = since.get(connection) ?? now
        if (!locked.has(connection)) since.delete(connection)
        else since.set(connection, lockedAt)
        if (locked.has(connection) && now - lockedAt >= longLockMs) report(connection)
      }
      if (since.size === 0) reported.clear()
    },
  }
}
