type OpenBreaker = { key: string; openedAt: number; probeDue: boolean }

/** `onTimeAt`: when a probe was last seen not to be due. */
type Observed = { countsFrom: number; onTimeAt: number }

const lateAfterMs = 60_000

/**
 * Measures the time for which circuit breakers have been open and this process has probed. It counts towards the retry
 * periods of deferred deliveries.
 *
 * A probe that is due is sent at the next poll. If it is late, this process could not send it: Postgres was unavailable,
 * a sealing key is missing, all claims were in use, or the process was frozen. The time until then does not count, except
 * for the cool-down before that probe. Neither does the time in which our network is down, because probes say nothing then.
 */
export function measureOpenTime({
  openBreakers,
  isNetworkDown,
  pollIntervalMs,
}: {
  openBreakers: () => OpenBreaker[]
  isNetworkDown: () => boolean
  pollIntervalMs: number
}) {
  let observed = new Map<string, Observed>()
  const isLate = ({ onTimeAt }: Observed, now: number) => now - onTimeAt > lateAfterMs + 2 * pollIntervalMs

  return {
    /** Call it at each poll. */
    observe(): void {
      const now = performance.now()
      const next = new Map<string, Observed>()
      for (const { key, openedAt, probeDue } of openBreakers()) {
        const last = observed.get(key) ?? { countsFrom: openedAt, onTimeAt: openedAt }
        next.set(key, {
          countsFrom: isNetworkDown() || isLate(last, now) ? now : last.countsFrom,
          onTimeAt: probeDue && !isNetworkDown() ? last.onTimeAt : now,
        })
      }
      observed = next
    },
    /** `openedAt`: null if the breaker is closed. */
    openForMs(channel: string, openedAt: number | null): number {
      const now = performance.now()
      const last = observed.get(channel)
      if (openedAt === null || isNetworkDown() || (last && isLate(last, now))) return 0
      return now - Math.max(openedAt, last?.countsFrom ?? openedAt)
    },
  }
}
