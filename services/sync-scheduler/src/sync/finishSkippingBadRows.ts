import type { Sql } from "@sitewire/database"
import { BatchTooSlow, unlessTooSlow } from "../batchTooSlow.ts"
import { isBadRow } from "../isBadRow.ts"
import { type Completion, type Finish, finishRuns } from "./finishRuns.ts"

/**
 * Records the ends of runs. If one makes the statement fail, bisects to find it, so that all others are
 * recorded. So it does with a batch that takes too long.
 */
export async function finishSkippingBadRows(
  sql: Sql,
  settings: { windowMs: number },
  completions: readonly Completion[],
): Promise<(Finish | "locked")[]> {
  try {
    return await unlessTooSlow(completions.length, finishRuns(sql, settings, completions))
  } catch (error) {
    if (!isBadRow(error) && !(error instanceof BatchTooSlow)) throw error
    if (completions.length === 1) return [{ kind: "failed", error }]
    const middle = Math.ceil(completions.length / 2)
    const first = await finishSkippingBadRows(sql, settings, completions.slice(0, middle))
    return [...first, ...(await finishSkippingBadRows(sql, settings, completions.slice(middle)))]
  }
}
