import { reasonOf } from "../logging/reasonOf.ts"

/** How long failed work is reported as an outage, even if the checks succeed. */
const failedWorkCountsForMs = 3_000

export type DependencyWatch = {
  isUnavailable(): boolean
  /** If `work` fails, reports an outage and checks at once. Returns what `work` returns. */
  observe<T>(work: Promise<T>): Promise<T>
  stop(): void
}

/**
 * Reports whether a dependency, such as Postgres, is available. Regular checks notice an outage while there
 * is no work. Observed work notices what a check cannot.
 */
export function watchDependency(settings: {
  check: () => Promise<unknown>
  onState: (available: boolean, why?: string) => void
  everyMs?: number
  /**
   * A check that takes longer counts as failed until it ends. Drivers would report a hanging server much
   * later.
   */
  timeoutMs?: number
}): DependencyWatch {
  const { check, onState, everyMs = 5_000, timeoutMs = 5_000 } = settings
  let failedCheck: string | undefined
  let failedWork: { why: string; at: number } | undefined
  let checking = false
  let stopped = false

  function report(): void {
    if (stopped) return
    if (failedWork && performance.now() - failedWork.at > failedWorkCountsForMs) failedWork = undefined
    const why = failedCheck ?? failedWork?.why
    onState(why === undefined, why)
  }

  async function checkNow(): Promise<void> {
    if (checking) return
    checking = true
    const timer = setTimeout(() => {
      failedCheck = `no response within ${timeoutMs} ms`
      report()
    }, timeoutMs)
    failedCheck = await check().then(() => undefined, reasonOf)
    clearTimeout(timer)
    checking = false
    report()
  }

  const interval = setInterval(() => void checkNow(), everyMs)
  return {
    isUnavailable: () => failedCheck !== undefined,
    async observe(work) {
      try {
        const result = await work
        if (failedWork) {
          failedWork = undefined
          report()
        }
        return result
      } catch (error) {
        failedWork = { why: reasonOf(error), at: performance.now() }
        report()
        void checkNow()
        throw error
      }
    },
    stop() {
      stopped = true
      clearInterval(interval)
    },
  }
}
