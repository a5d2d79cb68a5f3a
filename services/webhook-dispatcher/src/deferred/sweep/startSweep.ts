import type { Logger } from "@sitewire/runtime"
import type { DispatcherMetrics } from "../../metrics.ts"
import type { UnattemptedSweep } from "./sweepUnattempted.ts"

const longestIntervalMs = 60_000
/** Rows of one statement, at most. */
const deferredAtOnce = 1_000
const lookedAtOnce = 10_000

export type SweepParts = {
  overdueAfterMs: number
  sweepScheduled: (settings: { overdueMs: number; batch: number }) => Promise<number>
  sweepUnattempted: (settings: { overdueMs: number; batch: number }) => Promise<UnattemptedSweep>
  metrics: Pick<DispatcherMetrics, "deferred">
  log: Logger
}

/**
 * Defers pending deliveries that nothing carries: see `sweepScheduled` and `sweepUnattempted`. Begins `overdueAfterMs` after the start, and after
 * an outage of the database: until then, the records that carry what looks overdue may just not have been handled yet.
 */
export function startSweep(parts: SweepParts): { close(): Promise<void> } {
  const { overdueAfterMs, sweepScheduled, sweepUnattempted, metrics, log } = parts
  const everyMs = Math.min(longestIntervalMs, overdueAfterMs)
  let stopping = false
  let timer: NodeJS.Timeout | undefined
  let sweeping: Promise<void> = Promise.resolve()

  async function sweep(): Promise<void> {
    let deferred = 0
    try {
      for (let last = deferredAtOnce; last === deferredAtOnce && !stopping; deferred += last)
        last = await sweepScheduled({ overdueMs: overdueAfterMs, batch: deferredAtOnce })
      for (let more = true; more && !stopping; ) {
        const swept = await sweepUnattempted({ overdueMs: overdueAfterMs, batch: lookedAtOnce })
        more = swept.kind === "swept" && swept.more
        if (swept.kind === "swept") deferred += swept.deferred
      }
      schedule(everyMs)
    } catch (error) {
      log.debug({ error }, "the sweep for overdue deliveries failed; it is made again")
      schedule(overdueAfterMs)
    }
    if (deferred === 0) return
    metrics.deferred.inc({ reason: "overdue" }, deferred)
    log.warn({ deferred }, "overdue deliveries that no record carried were deferred")
  }

  function schedule(inMs: number): void {
    if (stopping) return
    timer = setTimeout(() => {
      sweeping = sweep()
    }, inMs)
  }
  schedule(overdueAfterMs)

  return {
    async close() {
      stopping = true
      clearTimeout(timer)
      await sweeping
    },
  }
}
