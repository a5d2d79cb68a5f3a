/**
 * Resolves with what `work` gives, or with `late` when that takes longer than `ms`. Rejects as `work` does. After a stall of
 * this process, what has arrived meanwhile is read first: timers come before input.
 */
export function withinDeadline<T, L>(work: Promise<T>, ms: number, late: L): Promise<T | L> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => setImmediate(() => resolve(late)), Math.max(0, ms))
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
