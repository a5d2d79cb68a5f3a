/** One line of the table. `ratio` is value to baseline; `target` says what it must reach, and `holds` whether it did. */
export type Measure = {
  measure: string
  value: number
  baseline: number | null
  ratio: number | null
  target: string
  holds: boolean
}

export type Target = {
  kind: "ratio-at-least" | "ratio-at-most" | "value-at-least" | "value-at-most" | "more-at-most"
  bound: number
  unit?: string
}

/** Judges a figure by its target. `more-at-most` bounds the difference to the baseline. */
export function judge(measure: string, value: number, baseline: number | null, target: Target): Measure {
  const ratio = baseline === null ? null : value / baseline
  const { kind, bound, unit = "" } = target
  const against = {
    "ratio-at-least": ratio,
    "ratio-at-most": ratio,
    "value-at-least": value,
    "value-at-most": value,
    "more-at-most": value - (baseline ?? 0),
  }
  const seen = against[kind]
  const holds = seen !== null && (kind.endsWith("at-least") ? seen >= bound : seen <= bound)
  const words = {
    "ratio-at-least": `at least ${bound} of it`,
    "ratio-at-most": `at most ${bound} times`,
    "value-at-least": `at least ${bound} ${unit}`,
    "value-at-most": `at most ${bound} ${unit}`,
    "more-at-most": `at most ${bound} ${unit} more`,
  }
  return {
    measure,
    value: round(value),
    baseline: baseline === null ? null : round(baseline),
    ratio: ratio === null ? null : round(ratio),
    target: words[kind].trim(),
    holds,
  }
}

function round(value: number): number {
  return Number(value.toPrecision(4))
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
