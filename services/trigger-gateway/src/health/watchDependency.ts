import { type Readiness, reasonOf } from "@sitewire/runtime"

/** If the checks succeed, failed work makes the gateway unready for this long at most. */
const unreadyAfterFailureMs = 3_000

export type DependencyWatch = {
  /** The newest check failed. */
  isUnavailable(): boolean
  /** Records whether `work` succeeds, and returns its result. A failure causes a check. */
  observe<T>(work: Promise<T>): Promise<T>
  stop(): void
}

/**
 * Reports to readiness whether a dependency works. Regular checks notice an outage without work; the outcome
 * of work shows what checks miss.
 */
export function watchDependency(settings: {
  name: string
  /** Rejects if the dependency is unavailable. Has a time-out. */
  check: () => Promise<unknown>
  everyMs: number
  readiness: Readiness
}): DependencyWatch {
  const { name, check, everyMs, readiness } = settings
  let checkFailure: string | null = null
  let workFailure: { why: string; at: number } | null = null
  let checking = false

  function setReadiness(): void {
    if (workFailure && performance.now() - workFailure.at > unreadyAfterFailureMs) workFailure = null
    const why = checkFailure ?? workFailure?.why
    readiness.set(name, why === undefined, why)
  }

  async function checkNow(): Promise<void> {
    if (checking) return
    checking = true
    checkFailure = await check().then(() => null, reasonOf)
    checking = false
    setReadiness()
  }

  const timer = setInterval(() => void checkNow(), everyMs)
  setReadiness()
  return {
    isUnavailable: () => checkFailure !== null,
    async observe(work) {
      try {
        const result = await work
        if (workFailure) {
          workFailure = null
          setReadiness()
        }
        return result
      } catch (error) {
        workFailure = { why: reasonOf(error), at: performance.now() }
        setReadiness()
        void checkNow()
        throw error
      }
    },
    stop: () => clearInterval(timer),
  }
}
