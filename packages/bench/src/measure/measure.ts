/**
 * One line of the table. `ratio` is value to baseline; `target` says what it must reach, and `holds` whether it did.
 * Null: it could not be judged, and `reason` says why.
 */
export type Measure = {
  measure: string
  value: number | null
  baseline: number | null
  ratio: number | null
  target: string
  holds: boolean | null
  reason?: string
  /** What the value is made of. */
  details?: string
}

export type Target = {
  kind: "ratio-at-least" | "ratio-at-most" | "value-at-least" | "value-at-most" | "more-at-most"
  bound: number
  unit?: string
}

/** Judges a figure by its target. `more-at-most` bounds the difference to the baseline. */
export function judge(measure: string, value: number, baseline: number | null, target: Target): Measure {
  const ratio = baseline === null ? null : value / baseline
  const { kind, bound } = target
  const against = {
    "ratio-at-least": ratio,
    "ratio-at-most": ratio,
    "value-at-least": value,
    "value-at-most": value,
    "more-at-most": baseline === null ? null : value - baseline,
  }
  const seen = against[kind]
  const row = {
    measure,
    value: round(value),
    baseline: baseline === null ? null : round(baseline),
    ratio: ratio === null ? null : round(ratio),
    target: describe(target),
  }
  if (seen === null) return { ...row, holds: null, reason: "there is nothing to compare with (--baseline)" }
  if (!Number.isFinite(seen)) return { ...row, holds: null, reason: "nothing was counted" }
  return { ...row, holds: kind.endsWith("at-least") ? seen >= bound : seen <= bound }
}

/** The line of what could not be measured at all. */
export function notMeasured(measure: string, reason: string): Measure {
  return { measure, value: null, baseline: null, ratio: null, target: "", holds: null, reason }
}

/** Others on the machine may take so much of its CPU time before it decides more than the code does. */
const othersAtMost = 0.1

/**
 * A figure that meets its target on a busy machine would meet it on a quiet one, and stays. One that fails may fail because
 * of the others, and a comparison may go either way.
 */
export function excuseBusyMachine(measure: Measure, othersShare: number): Measure {
  if (measure.holds === null || othersShare <= othersAtMost) return measure
  if (measure.holds && measure.baseline === null) return measure
  const reason = `others took ${(100 * othersShare).toFixed(0)} % of the machine's CPU time meanwhile`
  return { ...measure, holds: null, reason }
}

export function describe({ kind, bound, unit = "" }: Target): string {
  const words = {
    "ratio-at-least": `at least ${bound} of it`,
    "ratio-at-most": `at most ${bound} times`,
    "value-at-least": `at least ${bound} ${unit}`,
    "value-at-most": `at most ${bound} ${unit}`,
    "more-at-most": `at most ${bound} ${unit} more`,
  }
  return words[kind].trim()
}

export function round(value: number): number {
  return Number(value.toPrecision(4))
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
