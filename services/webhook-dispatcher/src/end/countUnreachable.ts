import type { Unreachable } from "@sitewire/deliveries"
import type { Limiter } from "@sitewire/limiter"

const reportEveryMs = 5_000
const lateAfterMs = 60_000

export type CountUnreachableParts = {
  openBreakers: Limiter["openBreakers"]
  isNetworkDown: () => boolean
  report: (open: Unreachable[]) => Promise<void>
  pollIntervalMs: number
}

/** In milliseconds. `counted`: not reported yet. `unsure`: since a probe was due that was not sent yet. */
type Open = { seenAt: number; counted: number; unsure: number }

/**
 * Counts the time in which circuit breakers are open and this process probes. It is part of the retry periods of deferred
 * deliveries, and is stored, so that a restart does not begin to count again.
 *
 * A probe that is due is sent at the next poll. If it is late, this process could not send it: Postgres was unavailable, a
 * sealing key is missing, all claims were in use, or the process was frozen. The time from when it was due does not count.
 * Neither does the time in which the channel is paused, or our network is down, because probes say nothing then.
 */
export function countUnreachable(parts: CountUnreachableParts) {
  const { openBreakers, isNetworkDown, report, pollIntervalMs } = parts
  const longestMs = lateAfterMs + 2 * pollIntervalMs
  let open = new Map<string, Open>()
  let reportAt = 0

  function observe(isPaused: (channel: string) => boolean): void {
    const now = performance.now()
    const next = new Map<string, Open>()
    for (const { key, openedAt, probeDue } of openBreakers()) {
      const last = open.get(key) ?? { seenAt: openedAt, counted: 0, unsure: 0 }
      // A longer time has passed if this process was frozen, or Postgres did not respond.
      const passed = now - last.seenAt
      const counts = passed <= longestMs && !isNetworkDown() && !isPaused(key)
      const unsure = counts ? last.unsure + passed : 0
      if (probeDue) next.set(key, { seenAt: now, counted: last.counted, unsure })
      else
        next.set(key, { seenAt: now, counted: last.counted + (unsure <= longestMs ? unsure : 0), unsure: 0 })
    }
    open = next
  }

  async function send(): Promise<void> {
    const sent = [...open].flatMap(([channel, { counted: ms }]) => (ms > 0 ? [{ channel, ms }] : []))
    if (sent.length === 0) return
    await report(sent)
    for (const { channel, ms } of sent) {
      const now = open.get(channel)
      if (now) now.counted -= ms
    }
  }

  return {
    /** Call it at each poll. Rejects if Postgres is unavailable; the time is then reported later. */
    async poll(isPaused: (channel: string) => boolean): Promise<void> {
      observe(isPaused)
      const now = performance.now()
      if (now < reportAt) return
      reportAt = now + reportEveryMs
      await send()
    },
  }
}
