export type Readiness = {
  /** Says whether a part works; `why` is shown to operators and holds no secret. */
  set(part: string, ready: boolean, why?: string): void
  /** Ready only if every part is. */
  read(): { ready: boolean; parts: Record<string, { ready: boolean; why?: string; since: string }> }
}

/** Every part counts as not ready until it says otherwise. */
export function createReadiness(parts: readonly string[]): Readiness {
  const now = () => new Date().toISOString()
  const states = new Map(
    parts.map((part) => [part, { ready: false, why: "starting", since: now() } as State]),
  )
  return {
    set(part, ready, why) {
      const before = states.get(part)
      if (before && before.ready === ready && before.why === why) return
      const since = before?.ready === ready ? before.since : now()
      states.set(part, { ready, since, ...(why === undefined ? {} : { why }) })
    },
    read: () => ({
      ready: [...states.values()].every((state) => state.ready),
      parts: Object.fromEntries(states),
    }),
  }
}

type State = { ready: boolean; why?: string; since: string }
