import { shareRunning } from "../batching/shareRunning.ts"

export type Credential = {
  value: string
  /** For how long it is used without a renewal, from the moment at which `read` was called. */
  reuseForMs: number
  /** For how long it is used if it cannot be renewed. */
  validForMs: number
}

/** A failure is also the result of all calls within this time, so that no server is asked hundreds of times a second. */
const failureMs = 1_000

/**
 * Calls `read` if there is no credential or if the last one must be renewed, and only once at a time. If `read` rejects,
 * the last credential is used as long as it is valid.
 */
export function cacheCredential(
  read: () => Promise<Credential>,
  now: () => number = () => performance.now(),
): () => Promise<string> {
  let current: { value: string; renewAt: number; validUntil: number } | null = null
  let failed: { error: unknown; until: number } | null = null

  async function renew(): Promise<string> {
    const calledAt = now()
    try {
      const { value, reuseForMs, validForMs } = await read()
      current = { value, renewAt: calledAt + reuseForMs, validUntil: calledAt + validForMs }
      return value
    } catch (error) {
      failed = { error, until: now() + failureMs }
      return valueAfter(error)
    }
  }

  function valueAfter(error: unknown): string {
    if (current !== null && now() < current.validUntil) return current.value
    throw error
  }

  const renewOnce = shareRunning(renew)
  return async () => {
    if (current !== null && now() < current.renewAt) return current.value
    if (failed !== null && now() < failed.until) return valueAfter(failed.error)
    return renewOnce()
  }
}
