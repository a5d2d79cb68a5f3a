import { setMaxListeners } from "node:events"
import { createWakeTimer, type Logger, reasonOf } from "@sitewire/runtime"
import type { BadRow, Claim, ClaimInput, GrantedRun } from "@sitewire/syncs"
import type { SchedulerMetrics } from "../metrics.ts"
import { createRunSync, type RunSyncOptions } from "../run/runSync.ts"

/** Running syncs are aborted this long before a stop's deadline, so that their ends can be recorded. */
const recordingReserveMs = 2_000

export type RunDueSyncsOptions = Omit<RunSyncOptions, "abort"> & {
  claim: (input: ClaimInput) => Promise<Claim>
  /** How many ends of runs wait because their rows are locked. */
  lockedEnds?: () => number
  onClaims: (working: boolean, why?: string) => void
  /** Nothing announces triggers that another scheduler recorded, so this process claims at least this often. */
  longestSleepMs?: number
  metrics: RunSyncOptions["metrics"] & Pick<SchedulerMetrics, "claimFailures">
  log: Logger
}

export type DueSyncs = {
  dueIn(ms: number): void
  /** Includes syncs whose end is being recorded. */
  running(): number
  /** Waits for the running syncs, and aborts them near the deadline. `drained`: none was aborted, and every end was recorded. */
  close(deadlineMs: number): Promise<{ drained: boolean }>
}

/** Claims due syncs and runs them. Between claims it sleeps until the earliest due time that it knows. */
export function runDueSyncs(options: RunDueSyncsOptions): DueSyncs {
  const { claim, lockedEnds = () => 0, hosts, longestSleepMs = 2_000, stopping, metrics, log } = options
  const wakeTimer = createWakeTimer(stopping)
  const abort = new AbortController()
  setMaxListeners(0, abort.signal)
  const runSync = createRunSync({ ...options, abort: abort.signal })
  const running = new Set<Promise<void>>()
  let limited = false
  let unrecorded = false

  async function loop(): Promise<void> {
    while (!stopping.aborted) {
      const sleepMs = await claimOnce()
      if (sleepMs > 0) await wakeTimer.sleep(sleepMs)
    }
  }

  async function claimOnce(): Promise<number> {
    // A locked row must not occupy a permit. There is at most one such run for each row, because claims skip it.
    const input = hosts.free(running.size - lockedEnds())
    try {
      const claimed = await claim(input)
      limited = claimed.limited
      for (const run of claimed.runs) start(run, claimed.age)
      options.onClaims(true)
      reportBadRows(claimed.badRows)
      if (claimed.more) return 0
      // While connections wait for permits, each claim reads the queues of all hosts. Pause for as long as
      // the claim took, so that claims take at most half of the time.
      if (limited) await pause(Math.min(longestSleepMs, claimed.age()))
      return Math.min(longestSleepMs, claimed.nextDueInMs ?? longestSleepMs)
    } catch (error) {
      if (stopping.aborted) return longestSleepMs
      log.error({ error }, "could not claim due syncs; trying again")
      options.onClaims(false, `claims fail: ${reasonOf(error)}`)
      return longestSleepMs
    }
  }

  /** The process stays ready, because another one would fail as well. An alert watches the counter. */
  function reportBadRows(badRows: readonly BadRow[]): void {
    for (const { connection, error } of badRows) {
      metrics.claimFailures.inc()
      log.error(
        { connection, reason: reasonOf(error) },
        "the sync of a connection cannot be granted: correct its row in sync_window; others proceed",
      )
    }
  }

  function start(run: GrantedRun, age: () => number): void {
    const ended = runAndSchedule(run, age).finally(() => {
      running.delete(ended)
      if (limited) wakeTimer.wakeWithin(0)
    })
    running.add(ended)
  }

  async function runAndSchedule(run: GrantedRun, age: () => number): Promise<void> {
    const recorded = await runSync(run, age)
    if (recorded.kind === "unrecorded") unrecorded = true
    if (recorded.kind === "recorded" && recorded.dueInMs !== null) wakeTimer.wakeWithin(recorded.dueInMs)
  }

  const looping = loop()

  return {
    dueIn: (ms) => wakeTimer.wakeWithin(ms),
    running: () => running.size,
    async close(deadlineMs) {
      const timer = setTimeout(() => abort.abort(), Math.max(0, deadlineMs - recordingReserveMs))
      const ended = looping.then(() => Promise.all(running))
      await Promise.race([ended, pause(deadlineMs)])
      clearTimeout(timer)
      return { drained: !abort.signal.aborted && !unrecorded && running.size === 0 }
    },
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)).unref())
}
