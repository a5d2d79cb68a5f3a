import { formatNumber } from "../../format.ts"

type Counts = Record<string, unknown>

export function countsOf(counts: Counts): [string, number][] {
  return Object.entries(counts).map(([name, count]) => [name.replaceAll("_", " "), Number(count)])
}

export const sumOf = (counts: Counts) => countsOf(counts).reduce((sum, [, count]) => sum + count, 0)

/** What a job has done, such as `resent 1,204, erased 2`. */
export function countsText(counts: Counts): string {
  const parts = countsOf(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name} ${formatNumber(count)}`)
  return parts.length === 0 ? "–" : parts.join(", ")
}
