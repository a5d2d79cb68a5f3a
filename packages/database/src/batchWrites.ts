import {
  type BatchBounds,
  batchItems,
  type Logger,
  type RetryStatement,
  sleepUnlessAborted,
} from "@sitewire/runtime"
import { errorCodeOf, wasEnded } from "./isUnavailable.ts"

/** Pauses before a statement is repeated for a locked row. Usually another process's statement has locked it, for milliseconds. */
export const firstLockPauseMs = 50
export const longestLockPauseMs = 1_000

/** A lock that lasts longer is reported. */
export const longLockMs = 1_000

/** Whether an invalid value or a violated constraint made a statement fail (SQLSTATE classes 22 and 23). */
export function isBadRow(error: unknown): boolean {
  return /^2[23]/.test(errorCodeOf(error))
}

/**
 * Writes rows with one statement, which is repeated while Postgres is unavailable. If it fails because of a row, or takes too long, the
 * rows are halved. Yields the result of each statement, and with its error each row that is bad, or that takes too long alone.
 */
export async function* writeParts<Row, Result>(
  rows: Row[],
  write: (rows: Row[]) => Promise<Result>,
  retry: <T>(work: () => Promise<T>) => Promise<T>,
  separated = false,
): AsyncGenerator<{ rows: Row[]; result: Result } | { rows: Row[]; error: unknown }> {
  const part = await retry(async () => {
    try {
      return { rows, result: await write(rows) }
    } catch (error) {
      if (!isBadRow(error) && !(wasEnded(error) && (separated || rows.length > 1))) throw error
      return { rows, error }
    }
  })
  if ("result" in part || rows.length === 1) return yield part
  const middle = Math.ceil(rows.length / 2)
  yield* writeParts(rows.slice(0, middle), write, retry, true)
  yield* writeParts(rows.slice(middle), write, retry, true)
}

export type Writing = {
  /** Repeats a statement while Postgres is unavailable. */
  retry: RetryStatement
  /** Aborted when a row is no longer waited for that another transaction has locked. */
  expiring: AbortSignal
  log: Logger
}

/**
 * Writes a row in one statement with those of other calls. `write` returns the results in the rows' order; "locked" if another transaction
 * has locked the row, which is then written again after a pause, as is a row that takes too long alone. Only the call of a bad row
 * rejects. `locked`: how many calls wait for their rows.
 *
 * @param owner whose row it is, and `idOf` its id
 */
export function batchWrites<Row, Result>({
  what,
  owner,
  idOf,
  bounds,
  write,
  retry,
  expiring,
  log,
}: Writing & {
  what: string
  owner: "connection" | "delivery"
  idOf: (row: Row) => string
  bounds: BatchBounds
  write: (rows: Row[]) => Promise<(Result | "locked")[]>
}) {
  type Call = { row: Row; resolve: (result: Result | "locked") => void; reject: (error: unknown) => void }
  const locked = new Set<Row>()

  async function run(calls: Call[]): Promise<void> {
    const first = new Map<string, Call>()
    for (const call of calls) {
      const id = idOf(call.row)
      // Of a delivery that was attempted twice, because its lease had ended, the second outcome is written by itself.
      if (first.has(id)) call.resolve("locked")
      else first.set(id, call)
    }
    const writeCalls = (part: Call[]) =>
      write(part.map(({ row }) => row)).catch((error) => {
        if (wasEnded(error)) log.warn({ rows: part.length }, `${what}: the statement took too long`)
        throw error
      })
    try {
      for await (const part of writeParts([...first.values()], writeCalls, (work) => retry(what, work)))
        part.rows.forEach((call, at) => {
          if ("result" in part) call.resolve(part.result[at] as Result | "locked")
          else if (wasEnded(part.error)) call.resolve("locked")
          else call.reject(part.error)
        })
    } catch (error) {
      for (const { reject } of first.values()) reject(error)
    }
  }
  const add = batchItems<Call>({ ...bounds, run })

  async function writeRow(row: Row): Promise<Result> {
    const startedAt = performance.now()
    let reported = false
    try {
      for (let pauseMs = firstLockPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestLockPauseMs)) {
        const result = await new Promise<Result | "locked">((resolve, reject) =>
          add({ row, resolve, reject }),
        )
        if (result !== "locked") return result
        locked.add(row)
        if (expiring.aborted) throw new Error("a row was locked or took too long until the stop")
        if (!reported && performance.now() - startedAt > longLockMs) {
          reported = true
          log.warn(
            { [owner]: idOf(row) },
            "what has to be recorded in a row waits, because the row is locked by another transaction or its statement takes too long; others proceed",
          )
        }
        await sleepUnlessAborted(pauseMs, expiring)
      }
    } finally {
      locked.delete(row)
    }
  }

  return { write: writeRow, locked: () => locked.size }
}
