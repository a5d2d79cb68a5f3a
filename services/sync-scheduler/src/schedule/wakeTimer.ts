export type Alarm = {
  /** Wakes whoever waits, now or later, no later than in so many milliseconds. */
  within(ms: number): void
  /** Resolves when the earliest time set has come, and after `ms` at the latest. */
  wait(ms: number): Promise<void>
}

/** setTimeout fires at once for more. */
const longestTimerMs = 2 ** 31 - 1

/** One sleeper's alarm clock. It keeps a time that is set while nobody waits, so none is missed. */
export function createAlarm(): Alarm {
  let ringsAt = Number.POSITIVE_INFINITY
  let sleeper: { until: number; wake: () => void } | undefined
  let timer: NodeJS.Timeout | undefined

  function arm(): void {
    clearTimeout(timer)
    if (!sleeper) return
    const leftMs = Math.min(ringsAt, sleeper.until) - performance.now()
    timer = setTimeout(sleeper.wake, Math.min(longestTimerMs, Math.max(0, Math.ceil(leftMs))))
  }

  return {
    within(ms) {
      ringsAt = Math.min(ringsAt, performance.now() + ms)
      arm()
    },
    wait(ms) {
      return new Promise((resolve) => {
        const wake = () => {
          sleeper = undefined
          if (ringsAt <= performance.now() + 1) ringsAt = Number.POSITIVE_INFINITY
          resolve()
        }
        sleeper = { until: performance.now() + ms, wake }
        arm()
      })
    },
  }
}
