import { retryWhileUnavailable } from "./retryWhileUnavailable.ts"

export type RetryStatement = <T>(what: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>

/**
 * Returns the function that repeats a statement while Postgres is unavailable. `onState` receives true only if
 * no statement is failing, because another one can succeed meanwhile.
 */
export function retryStatements({
  isTransient,
  signal,
  onState,
}: {
  isTransient: (error: unknown) => boolean
  /** Ends the repetitions of statements that have no signal of their own. */
  signal: AbortSignal
  onState: (working: boolean, why?: string) => void
}): RetryStatement {
  const failing = new Map<symbol, string>()

  function report(): void {
    const [why] = failing.values()
    onState(why === undefined, why)
  }

  return async (what, work, ownSignal = signal) => {
    const statement = Symbol(what)
    try {
      return await retryWhileUnavailable({
        what,
        work,
        isTransient,
        signal: ownSignal,
        onState(working, why = what) {
          if (working) return
          failing.set(statement, why)
          report()
        },
      })
    } finally {
      failing.delete(statement)
      report()
    }
  }
}
