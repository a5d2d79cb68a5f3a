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
  let timer: NodeJS.Timeout | undefined
  let wake: (() => void) | undefined

  function arm(at: number): void {
    clearTimeout(timer)
    timer = setTimeout(
      () => wake?.(),
      Math.min(longestTimerMs, Math.max(0, Math.ceil(at - performance.now()))),
    )
  }

  return {
    within(ms) {
      const at = performance.now() + ms
      if (at >= ringsAt) return
      ringsAt = at
      if (wake) arm(at)
    },
    wait(ms) {
      return new Promise((resolve) => {
        wake = () => {
          clearTimeout(timer)
          wake = undefined
          if (ringsAt <= performance.now() + 1) ringsAt = Number.POSITIVE_INFINITY
          resolve()
        }
        arm(Math.min(ringsAt, performance.now() + ms))
      })
    },
  }
}
