import { errorCodeOf, wasEnded } from "@sitewire/database"
import {
  type BatchBounds,
  batchCalls,
  type Logger,
  type RetryStatement,
  whileLocked,
} from "@sitewire/runtime"

/** Whether an invalid value or a violated constraint made a statement fail (SQLSTATE classes 22 and 23). */
export function isBadRow(error: unknown): boolean {
  return /^2[23]/.test(errorCodeOf(error))
}

/**
 * Writes rows with one statement, which is repeated while Postgres is unavailable. If a row makes it fail, or if it takes too long,
 * the rows are halved, so that all others are written. Yields the result of each statement, and each bad row with its error.
 */
export async function* writeParts<Row, Result>(
  rows: Row[],
  write: (rows: Row[]) => Promise<Result>,
  retry: <T>(work: () => Promise<T>) => Promise<T>,
): AsyncGenerator<{ rows: Row[]; result: Result } | { rows: Row[]; error: unknown }> {
  const part = await retry(async () => {
    try {
      return { rows, result: await write(rows) }
    } catch (error) {
      if (!isBadRow(error) && !(rows.length > 1 && wasEnded(error))) throw error
      return { rows, error }
    }
  })
  if ("result" in part || rows.length === 1) return yield part
  const middle = Math.ceil(rows.length / 2)
  yield* writeParts(rows.slice(0, middle), write, retry)
  yield* writeParts(rows.slice(middle), write, retry)
}

export type WriteSettings = { retry: RetryStatement; expiring: AbortSignal; log: Logger }

/**
 * Returns the function that writes a row in one statement with those of other calls. `write` returns the results in the rows' order;
 * "locked" if another transaction has locked the row. Such a row is written again after a pause, until `expiring` is aborted. Only
 * the call of a bad row rejects. `locked`: how many calls wait for their rows.
 */
export function batchWrites<Row extends { connection: string }, Result>(
  what: string,
  bounds: BatchBounds,
  write: (rows: Row[]) => Promise<(Result | "locked")[]>,
  { retry, expiring, log }: WriteSettings,
) {
  const locked = new Set<Row>()
  const batch = batchCalls<Row, () => Result | "locked">({
    ...bounds,
    async run(rows) {
      const results: (() => Result | "locked")[] = []
      for await (const part of writeParts(rows, write, (work) => retry(what, work)))
        if ("result" in part) results.push(...part.result.map((result) => () => result))
        else
          results.push(() => {
            throw part.error
          })
      return results
    },
  })

  async function writeRow(row: Row): Promise<Result> {
    const work = async () => {
      const result = (await batch(row))()
      if (result === "locked") locked.add(row)
      return result
    }
    try {
      return await whileLocked({ owner: { connection: row.connection }, work, signal: expiring, log })
    } finally {
      locked.delete(row)
    }
  }

  return { write: writeRow, locked: () => locked.size }
}
