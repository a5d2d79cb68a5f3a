/** Resolves after `ms`, or as soon as a signal is aborted. Unlike that of node:timers/promises, it obeys simulated time. */
export function sleepUnlessAborted(ms: number, ...signals: AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    if (ms <= 0 || signals.some(({ aborted }) => aborted)) return resolve()
    const timer = setTimeout(done, ms)
    function done(): void {
      clearTimeout(timer)
      for (const signal of signals) signal.removeEventListener("abort", done)
      resolve()
    }
    for (const signal of signals) signal.addEventListener("abort", done)
  })
}
