/** `keepMs` is how long the name's servers allow the answer to be used again. */
export type Answer = { ips: readonly string[]; keepMs: number }

/**
 * Whatever its servers allow, a partner need not wait longer for its new address to be called. The first retry of a delivery
 * comes after a minute, so it asks again.
 */
const MAX_KEPT_MS = 60_000
/** Of 300 bytes to 2 kB each. */
const MAX_KEPT_NAMES = 10_000

/**
 * Asks only for names whose last answer may not be used any more. Errors are not kept. Calls that begin before an answer
 * has arrived all ask.
 */
export function keepAnswers(ask: (hostname: string) => Promise<Answer>) {
  const kept = new Map<string, { ips: readonly string[]; until: number }>()
  return async function lookUp(hostname: string): Promise<readonly string[]> {
    const known = kept.get(hostname)
    if (known !== undefined && performance.now() < known.until) return known.ips
    const { ips, keepMs } = await ask(hostname)
    // Deleted first, so that the names stay in the order of their answers.
    kept.delete(hostname)
    if (keepMs > 0) kept.set(hostname, { ips, until: performance.now() + Math.min(keepMs, MAX_KEPT_MS) })
    const [oldest] = kept.size > MAX_KEPT_NAMES ? kept.keys() : []
    if (oldest !== undefined) kept.delete(oldest)
    return ips
  }
}
