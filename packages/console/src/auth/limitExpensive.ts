/** More than the web console sends together. */
const mostWaiting = 20

export type RunExpensive = <T>(key: string, work: () => Promise<T>) => Promise<T | null>

/**
 * Runs requests that may take seconds: one of each API key at a time, and `most` of all keys together, so that the others
 * always get a connection to Postgres. Further ones wait in order. Null: too many of this key wait. Every console limits for
 * itself.
 */
export function limitExpensive(most: number): RunExpensive {
  const keys = new Map<string, { requests: number; last: Promise<unknown> }>()
  const ready: (() => void)[] = []
  let free = most

  async function whenFree<T>(work: () => Promise<T>): Promise<T> {
    if (free > 0) free--
    else await new Promise<void>((resolve) => ready.push(resolve))
    try {
      return await work()
    } finally {
      const next = ready.shift()
      if (next) next()
      else free++
    }
  }

  return async (key, work) => {
    const own = keys.get(key) ?? { requests: 0, last: Promise.resolve() }
    if (own.requests > mostWaiting) return null
    keys.set(key, own)
    own.requests++
    const run = own.last.then(() => whenFree(work))
    own.last = run.catch(() => {})
    try {
      return await run
    } finally {
      if (--own.requests === 0) keys.delete(key)
    }
  }
}
