import type { Logger } from "@sitewire/runtime"
import type { DispatcherMetrics } from "../../metrics.ts"
import type { SweepRequest, Swept } from "./sweepScheduled.ts"

const longestIntervalMs = 60_000
const scheduledBatch = 1_000

export type SweepParts = {
  overdueAfterMs: number
  sweepScheduled: (request: SweepRequest) => Promise<Swept>
  /** Postgres's clock. */
  readClock: () => Promise<Date>
  metrics: Pick<DispatcherMetrics, "deferred">
  log: Logger
}

/**
 * Defers pending deliveries whose Kafka record was lost. Starts to sweep `overdueAfterMs` after the start of
 * the process or an outage of Postgres, because until then records may only be late.
 */
export function startSweep(parts: SweepParts): { close(): Promise<void> } {
  const { overdueAfterMs, sweepScheduled, readClock, metrics, log } = parts
  const everyMs = Math.min(longestIntervalMs, overdueAfterMs)
  let stopping = false
  let timer: NodeJS.Timeout | undefined
  let sweeping: Promise<void> = Promise.resolve()

  /** Postgres's clock when it was read first, less this process's monotonic clock then. */
  let startedAt: number | null = null
  /**
   * The later one of two clocks, so that a system clock that is behind does not hide what is overdue. Neither follows Postgres's
   * clock if that is set ahead.
   */
  async function readNow(): Promise<number> {
    startedAt ??= (await readClock()).getTime() - performance.now()
    return Math.max(Date.now(), startedAt + performance.now())
  }

  async function sweep(): Promise<void> {
    let deferred = 0
    try {
      let swept: Swept = { deferred: scheduledBatch, lastDueMs: 0 }
      for (; swept.deferred === scheduledBatch && !stopping; deferred += swept.deferred)
        swept = await sweepScheduled({
          overdueMs: overdueAfterMs,
          batch: scheduledBatch,
          nowMs: await readNow(),
          from: swept.lastDueMs,
        })
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
  readNow().catch((error: unknown) =>
    log.debug({ error }, "Postgres's clock could not be read; the first sweep reads it"),
  )

  return {
    async close() {
      stopping = true
      clearTimeout(timer)
      await sweeping
    },
  }
}
