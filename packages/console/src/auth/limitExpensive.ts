/** More than the web console sends together. */
const mostWaiting = 20

type LimitExpensive = {
  /** Null: too many of this key wait. */
  run<T>(key: string, work: () => Promise<T>): Promise<T | null>
  /** Waits however many wait. */
  runAlways<T>(key: string, work: () => Promise<T>): Promise<T>
}

/** Each chunk is work of its own. A response that has begun is not rejected. */
export async function* runChunks(
  { runAlways }: LimitExpensive,
  key: string,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]()
  for (;;) {
    const { done, value } = await runAlways(key, () => iterator.next())
    if (done) return
    yield value
  }
}

/**
 * Runs requests that may take seconds: one of each API key at a time, and `most` of all keys together, so that the others
 * always get a connection to Postgres. Further ones wait in order. Every console limits for itself.
 */
export function limitExpensive(most: number): LimitExpensive {
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

  async function runAlways<T>(key: string, work: () => Promise<T>): Promise<T> {
    const own = keys.get(key) ?? { requests: 0, last: Promise.resolve() }
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

  return {
    async run(key, work) {
      return (keys.get(key)?.requests ?? 0) > mostWaiting ? null : runAlways(key, work)
    },
    runAlways,
  }
}
