import type { Logger } from "@sitewire/runtime"
import type { DispatcherMetrics } from "../../metrics.ts"

const longestIntervalMs = 60_000
const scheduledBatch = 1_000

export type SweepParts = {
  overdueAfterMs: number
  sweepScheduled: (settings: { overdueMs: number; batch: number }) => Promise<number>
  metrics: Pick<DispatcherMetrics, "deferred">
  log: Logger
}

/**
 * Defers pending deliveries whose Kafka record was lost. Starts to sweep `overdueAfterMs` after the start of
 * the process or an outage of Postgres, because until then records may only be late.
 */
export function startSweep(parts: SweepParts): { close(): Promise<void> } {
  const { overdueAfterMs, sweepScheduled, metrics, log } = parts
  const everyMs = Math.min(longestIntervalMs, overdueAfterMs)
  let stopping = false
  let timer: NodeJS.Timeout | undefined
  let sweeping: Promise<void> = Promise.resolve()

  async function sweep(): Promise<void> {
    let deferred = 0
    try {
      for (let last = scheduledBatch; last === scheduledBatch && !stopping; deferred += last)
        last = await sweepScheduled({ overdueMs: overdueAfterMs, batch: scheduledBatch })
      schedule(everyMs)
    } catch (error) {
      log.debug({ error }, "the sweep for overdue deliveries failed; it is repeated")
      schedule(overdueAfterMs)
    }
    if (deferred === 0) return
    metrics.deferred.inc({ reason: "overdue" }, deferred)
    log.warn({ deferred }, "deliveries were overdue because their records were lost; they are deferred")
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
