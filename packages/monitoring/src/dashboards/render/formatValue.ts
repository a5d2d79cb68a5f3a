import type { Unit } from "../dashboard.ts"

export function formatValue(value: number, unit: Unit): string {
  if (!Number.isFinite(value)) return "–"
  if (unit === "share") return `${trim(value * 100)} %`
  if (unit === "seconds") return formatSeconds(value)
  if (unit === "bytes") return value === 0 ? "0" : `${trim(value / 1024 ** 2)} MiB`
  const text = Math.abs(value) >= 10_000 ? `${trim(value / 1_000)} k` : trim(value)
  return unit === "per second" ? `${text}/s` : text
}

function formatSeconds(value: number): string {
  if (value === 0) return "0 s"
  if (value < 1) return `${trim(value * 1_000)} ms`
  if (value < 120) return `${trim(value)} s`
  if (value < 7_200) return `${trim(value / 60)} min`
  return `${trim(value / 3_600)} h`
}

/** Three digits at most. */
function trim(value: number): string {
  const size = Math.abs(value)
  return String(Number(value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2)))
}
