import type { Sql } from "@sitewire/database"
import { isFaultOfRow } from "../isBadRow.ts"
import { type Completion, type Finish, finishRuns } from "./finishRuns.ts"

/** Ends runs. If one makes the statement fail, halving finds it, so that all others are recorded. */
export async function finishEach(
  sql: Sql,
  settings: { windowMs: number },
  completions: readonly Completion[],
): Promise<Finish[]> {
  try {
    return await finishRuns(sql, settings, completions)
  } catch (error) {
    if (!isFaultOfRow(error)) throw error
    if (completions.length === 1) return [{ kind: "failed", error }]
    const middle = Math.ceil(completions.length / 2)
    const first = await finishEach(sql, settings, completions.slice(0, middle))
    return [...first, ...(await finishEach(sql, settings, completions.slice(middle)))]
  }
}
