export type ReplacedTokenCalls = { connection: string; hash: Buffer; calls: number; lastAt: number }

export type ReplacedTokenCounter = {
  /** Counts a call with a wrong token, which may be one that was replaced. */
  add(connection: string, hash: Buffer, at: number): void
  /** Stores what was counted so far. */
  close(): Promise<void>
}

/** A connection has at most ten replaced tokens. */
const maxTokensPerConnection = 20

/**
 * Counts calls of trigger URLs whose token was replaced. Which of the wrong tokens were replaced ones is decided by
 * one statement for all calls of `everyMs`, after their responses. Its size is limited, so random tokens cause neither
 * a query per call nor unlimited memory: they can only prevent that calls of the same few seconds are counted.
 */
export function countReplacedTokens(settings: {
  store: (calls: readonly ReplacedTokenCalls[]) => Promise<void>
  everyMs: number
  maxTokens: number
  onFailed: (error: unknown) => void
}): ReplacedTokenCounter {
  const { store, everyMs, maxTokens, onFailed } = settings
  let tokens = 0
  let counted = new Map<string, Map<string, ReplacedTokenCalls>>()
  let timer: NodeJS.Timeout | undefined
  let storing = Promise.resolve()

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const calls = [...counted.values()].flatMap((ofConnection) => [...ofConnection.values()])
    counted = new Map()
    tokens = 0
    // If the statement fails, it may have been committed: its calls are not counted again.
    if (calls.length > 0) storing = storing.then(() => store(calls)).catch(onFailed)
    return storing
  }

  return {
    add(connection, hash, at) {
      const ofConnection = counted.get(connection) ?? new Map<string, ReplacedTokenCalls>()
      const key = hash.toString("latin1")
      const known = ofConnection.get(key)
      if (known) {
        known.calls += 1
        known.lastAt = Math.max(known.lastAt, at)
        return
      }
      if (tokens >= maxTokens || ofConnection.size >= maxTokensPerConnection) return
      tokens += 1
      ofConnection.set(key, { connection, hash, calls: 1, lastAt: at })
      counted.set(connection, ofConnection)
      timer ??= setTimeout(() => void flush(), everyMs)
    },
    close: flush,
  }
}
