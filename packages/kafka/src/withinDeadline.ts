/**
 * Settles like `work`, or resolves with `late` after `ms`. If this process stalled past the deadline,
 * responses that arrived meanwhile are read first, so `work` can still settle.
 */
export function withinDeadline<T, L>(work: Promise<T>, ms: number, late: L): Promise<T | L> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => setImmediate(() => resolve(late)), Math.max(0, ms))
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
