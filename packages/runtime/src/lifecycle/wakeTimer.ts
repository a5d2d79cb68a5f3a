/** With a longer delay, setTimeout fires at once. */
const longestTimeoutMs = 2 ** 31 - 1

/** Sleeps, one at a time, that can be ended earlier. After `stopping` is aborted, none begins. */
export function createWakeTimer(stopping: AbortSignal) {
  let wakeAt = Number.POSITIVE_INFINITY
  let sleeper: { until: number; wake: () => void } | undefined
  let timer: NodeJS.Timeout | undefined

  function setTimer(): void {
    clearTimeout(timer)
    if (!sleeper) return
    const leftMs = Math.min(wakeAt, sleeper.until) - performance.now()
    timer = setTimeout(sleeper.wake, Math.min(longestTimeoutMs, Math.max(0, Math.ceil(leftMs))))
  }

  function wakeWithin(ms: number): void {
    const at = performance.now() + ms
    if (at >= wakeAt) return
    wakeAt = at
    setTimer()
  }

  stopping.addEventListener("abort", () => wakeWithin(0))
  return {
    /** Ends the current sleep, or the next one, in `ms` milliseconds or earlier. */
    wakeWithin,
    async sleep(ms: number): Promise<void> {
      if (stopping.aborted) return
      await new Promise<void>((resolve) => {
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
