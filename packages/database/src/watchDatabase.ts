import type { Sql } from "./pool.ts"

/**
 * Asks the database every `everyMs` whether it answers and tells readiness; one that has not within `answerWithinMs`
 * counts as away until it does. Returns what ends it.
 */
export function watchDatabase(settings: {
  sql: Sql
  onState: (reachable: boolean, why?: string) => void
  everyMs?: number
  answerWithinMs?: number
}): () => void {
  const { sql, onState, everyMs = 5_000, answerWithinMs = 5_000 } = settings
  let stopped = false
  let timer: NodeJS.Timeout | undefined

  async function look(): Promise<void> {
    // A server that hangs is told by the driver only when the longest statement would have been cancelled.
    timer = setTimeout(() => onState(false, `no answer within ${answerWithinMs} ms`), answerWithinMs)
    const failure = await sql("select 1").then(
      () => null,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    )
    clearTimeout(timer)
    if (stopped) return
    onState(failure === null, failure ?? undefined)
    timer = setTimeout(() => void look(), everyMs)
  }

  timer = setTimeout(() => void look(), everyMs)
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}
