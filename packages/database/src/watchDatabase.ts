import type { Sql } from "./pool.ts"

/** Returns a function that ends the checks. */
export function watchDatabase(settings: {
  sql: Sql
  onState: (reachable: boolean, why?: string) => void
  everyMs?: number
  timeoutMs?: number
}): () => void {
  const { sql, onState, everyMs = 5_000, timeoutMs = 5_000 } = settings
  let stopped = false
  let timer: NodeJS.Timeout | undefined

  async function check(): Promise<void> {
    // The driver reports a server that hangs only after the time-out of statements.
    timer = setTimeout(() => onState(false, `no response within ${timeoutMs} ms`), timeoutMs)
    const failure = await sql("select 1").then(
      () => null,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    )
    clearTimeout(timer)
    if (stopped) return
    onState(failure === null, failure ?? undefined)
    timer = setTimeout(() => void check(), everyMs)
  }

  timer = setTimeout(() => void check(), everyMs)
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}
