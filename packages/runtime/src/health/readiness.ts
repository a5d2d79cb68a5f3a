export type PartState = { ready: boolean; why?: string; since: string }

export type Readiness = {
  /** Says whether a part works; `why` is shown to operators and holds no secret. */
  set(part: string, ready: boolean, why?: string): void
  /** Ready only if every part is that is needed. */
  read(): { ready: boolean; parts: Record<string, PartState> }
}

/**
 * Every part counts as not ready until it says otherwise. `onChange` is called when one no longer works, and when it
 * works again: once each, however many notice and however often its reason changes. Parts in `spared` are told of and
 * watched like the others, and do not make it unready.
 */
export function createReadiness(
  parts: readonly string[],
  onChange: (part: string, state: PartState) => void = () => {},
  spared: readonly string[] = [],
): Readiness {
  const now = () => new Date().toISOString()
  const states = new Map<string, PartState>(
    [...parts, ...spared].map((part) => [part, { ready: false, why: starting, since: now() }]),
  )
  return {
    set(part, ready, why) {
      const before = states.get(part)
      if (before && before.ready === ready && before.why === why) return
      const since = before?.ready === ready ? before.since : now()
      const state = { ready, since, ...(why === undefined ? {} : { why }) }
      states.set(part, state)
      const changed = before ? before.ready !== ready && before.why !== starting : !ready
      if (changed) onChange(part, state)
    },
    read: () => ({
      ready: [...states].every(([part, state]) => state.ready || spared.includes(part)),
      parts: Object.fromEntries(states),
    }),
  }
}

const starting = "starting"
