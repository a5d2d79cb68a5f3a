import { isUnavailable } from "@sitewire/database"
import { retryWhileUnavailable } from "@sitewire/runtime"

export type Retry = <T>(what: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>

/**
 * Returns the function that repeats a statement while Postgres is unavailable. `onState` receives true only if
 * no statement is failing, because another one can succeed meanwhile.
 *
 * @param signal ends the repetitions of statements that have no signal of their own.
 */
export function retryStatements(
  signal: AbortSignal,
  onState: (working: boolean, why?: string) => void,
): Retry {
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
        isTransient: isUnavailable,
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
