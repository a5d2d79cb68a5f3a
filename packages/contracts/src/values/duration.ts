import { z } from "zod"

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

export const durationSchema = z
  .string()
  .regex(/^\d+(ms|s|m|h|d)$/, "must be a whole number with a unit: ms, s, m, h or d, for example 5m")
  .transform(parseDuration)

/** Converts `"5m"` to 300000. The text must match `durationSchema`. */
export function parseDuration(text: string): number {
  const amount = Number.parseInt(text, 10)
  const unit = text.replace(/^\d+/, "") as keyof typeof unitMs
  return amount * unitMs[unit]
}

/**
 * Converts 300000 to `5m`, in the largest unit that divides it. The names of retry topics contain the result,
 * so the format must not change.
 */
export function formatDuration(ms: number): string {
  const units = Object.entries(unitMs).toReversed()
  for (const [unit, length] of units) if (ms % length === 0 && ms >= length) return `${ms / length}${unit}`
  return `${ms}ms`
}
