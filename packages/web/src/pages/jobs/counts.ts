import { formatNumber } from "../../format.ts"

type Counts = Record<string, number>

export function countsOf(counts: Counts): [string, number][] {
  return Object.entries(counts).map(([name, count]) => [name.replaceAll("_", " "), Number(count)])
}

/** How many of its deliveries, events or records a job has finished with. */
export function doneOf({
  resent = 0,
  replayed = 0,
  left_out = 0,
  scanned = 0,
  events = 0,
  triggers = 0,
}: Counts) {
  return resent + replayed + left_out + scanned + events + triggers
}

/** What a job has done, such as `resent 1,204, erased 2`. */
export function countsText(counts: Counts): string {
  const parts = countsOf(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name} ${formatNumber(count)}`)
  return parts.length === 0 ? "–" : parts.join(", ")
}
