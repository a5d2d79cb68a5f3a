export type WakeTimer = {
  /** Ends the current sleep, or the next one, in `ms` milliseconds or earlier. */
  wakeWithin(ms: number): void
  sleep(ms: number): Promise<void>
}

/** With a longer delay, setTimeout fires at once. */
const longestTimeoutMs = 2 ** 31 - 1

export function createWakeTimer(): WakeTimer {
  let wakeAt = Number.POSITIVE_INFINITY
  let sleeper: { until: number; wake: () => void } | undefined
  let timer: NodeJS.Timeout | undefined

  function setTimer(): void {
    clearTimeout(timer)
    if (!sleeper) return
    const leftMs = Math.min(wakeAt, sleeper.until) - performance.now()
    timer = setTimeout(sleeper.wake, Math.min(longestTimeoutMs, Math.max(0, Math.ceil(leftMs))))
  }

  return {
    wakeWithin(ms) {
      wakeAt = Math.min(wakeAt, performance.now() + ms)
      setTimer()
    },
    sleep(ms) {
      return new Promise((resolve) => {
        const wake = () => {
          sleeper = undefined
          if (wakeAt <= performance.now() + 1) wakeAt = Number.POSITIVE_INFINITY
          resolve()
        }
        sleeper = { until: performance.now() + ms, wake }
        setTimer()
      })
    },
  }
}
