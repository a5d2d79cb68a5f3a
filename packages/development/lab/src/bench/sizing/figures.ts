import type { Measure } from "../measure/measure.ts"
import { round } from "../measure/measure.ts"

/** A figure for planning: it has no target, so there is nothing to judge. */
export function figure(measure: string, value: number, details?: string): Measure {
  const reason = "a figure for planning, without a target"
  const row = { measure, value: round(value), baseline: null, ratio: null, target: "", holds: null, reason }
  return details === undefined ? row : { ...row, details }
}
