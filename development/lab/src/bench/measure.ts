/**
 * `ratio` is value divided by baseline. `holds` says whether the target is met. It is null if that could not
 * be judged, and `reason` says why.
 */
export type Measure = {
  measure: string
  value: number | null
  baseline: number | null
  ratio: number | null
  target: string
  holds: boolean | null
  reason?: string
}

const words = {
  "ratio-at-least": "at least % of it",
  "ratio-at-most": "at most % times",
  "value-at-least": "at least %",
  "value-at-most": "at most %",
  "more-at-most": "at most % more",
}
export type TargetKind = keyof typeof words

export function describeTarget(kind: TargetKind, bound: number, unit = ""): string {
  return words[kind].replace("%", `${bound} ${unit}`.trim())
}

/** Compares a value with its target. With the kind `more-at-most`, value minus baseline must be at most the bound. */
export function judge(
  measure: string,
  value: number,
  baseline: number | null,
  kind: TargetKind,
  bound: number,
  unit?: string,
): Measure {
  const ratio = baseline === null ? null : value / baseline
  const difference = baseline === null ? null : value - baseline
  const figure = kind.startsWith("ratio") ? ratio : kind.startsWith("more") ? difference : value
  const row = {
    measure,
    value: round(value),
    baseline: baseline === null ? null : round(baseline),
    ratio: ratio === null ? null : round(ratio),
    target: describeTarget(kind, bound, unit),
  }
  if (figure === null) return { ...row, holds: null, reason: "there is nothing to compare with" }
  if (!Number.isFinite(figure)) return { ...row, holds: null, reason: "nothing was counted" }
  return { ...row, holds: kind.endsWith("at-least") ? figure >= bound : figure <= bound }
}

/** Judges a value that needs no baseline. */
export const atMost = (measure: string, value: number, bound: number, unit?: string): Measure =>
  judge(measure, value, null, "value-at-most", bound, unit)

export function notMeasured(measure: string, reason: string): Measure {
  return { measure, value: null, baseline: null, ratio: null, target: "", holds: null, reason }
}

/** If other processes take a larger share of the machine's CPU time, they may decide the result. */
const othersAtMost = 0.1

/**
 * Sets `holds` to null if other processes may have decided it. A value that meets its target on a busy
 * machine would also meet it on a quiet one. This is not certain for a comparison with a baseline, because
 * the others may have slowed the baseline.
 */
export function excuseBusyMachine(measure: Measure, othersShare: number): Measure {
  if (measure.holds === null || othersShare <= othersAtMost) return measure
  if (measure.holds && measure.baseline === null) return measure
  const reason = `others took ${(100 * othersShare).toFixed(0)} % of the machine's CPU time meanwhile`
  return { ...measure, holds: null, reason }
}

export function round(value: number): number {
  return Number(value.toPrecision(4))
}
