export type CheckState = { ready: boolean; why?: string; since: string }

export type Readiness = {
  /** `why` is shown to operators and must not contain a secret. */
  set(check: string, ready: boolean, why?: string): void
  read(): { ready: boolean; checks: Record<string, CheckState> }
}

/**
 * The process is ready if all `checks` pass; `optionalChecks` are only shown. A check fails until `set`
 * reports a pass. `onChange` is called when a check fails or passes again, not when only its reason changes.
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
