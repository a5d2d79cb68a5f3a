export type CheckState = { ready: boolean; why?: string; since: string }

export type Readiness = {
  /** Records whether a check passes. `why` is shown to operators and contains no secret. */
  set(check: string, ready: boolean, why?: string): void
  /** Ready if all checks pass that are not optional. */
  read(): { ready: boolean; checks: Record<string, CheckState> }
}

/**
 * Each check fails until `set` reports a pass. `onChange` is called once when a check fails that has passed, and once when
 * it passes again; a changed reason is no change. `optionalChecks` are recorded too, but do not make the process unready.
 */
export function createReadiness(
  checks: readonly string[],
  onChange: (check: string, state: CheckState) => void = () => {},
  optionalChecks: readonly string[] = [],
): Readiness {
  const now = () => new Date().toISOString()
  const states = new Map<string, CheckState>(
    [...checks, ...optionalChecks].map((check) => [check, { ready: false, why: starting, since: now() }]),
  )
  return {
    set(check, ready, why) {
      const before = states.get(check)
      if (before && before.ready === ready && before.why === why) return
      const since = before?.ready === ready ? before.since : now()
      const state = { ready, since, ...(why === undefined ? {} : { why }) }
      states.set(check, state)
      const changed = before ? before.ready !== ready && before.why !== starting : !ready
      if (changed) onChange(check, state)
    },
    read: () => ({
      ready: [...states].every(([check, state]) => state.ready || optionalChecks.includes(check)),
      checks: Object.fromEntries(states),
    }),
  }
}

const starting = "starting"
