export type Change = { connection: string; fence: number }

export type ChangesLedger = {
  /** Contents that syncs have stored. */
  changes: number
  /** Contents of which connection.changed has no record, and none of a newer one. */
  unheard: string[]
  /** Records with a lower fence than one before them of the same connection. */
  disordered: string[]
}

/** `heard`: the records of `connection.changed`, those of a connection in their order. */
export function reconcileChanges(stored: readonly Change[], heard: readonly Change[]): ChangesLedger {
  const newest = new Map<string, number>()
  const disordered: string[] = []
  for (const { connection, fence } of heard) {
    const before = newest.get(connection) ?? 0
    if (fence < before) disordered.push(`${connection}: ${fence} after ${before}`)
    newest.set(connection, Math.max(before, fence))
  }
  const unheard = stored
    .filter(({ connection, fence }) => (newest.get(connection) ?? 0) < fence)
    .map(({ connection, fence }) => `${connection}: ${fence}`)
  return { changes: stored.length, unheard, disordered }
}
