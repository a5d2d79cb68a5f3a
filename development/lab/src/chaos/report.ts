import { countFaults, type Fault } from "./faults/driveFaults.ts"

export type Finished = {
  seed: number
  /** Counts, lists of what broke a promise, and `holds`. */
  ledger: { holds: boolean }
  faults: readonly Fault[]
  /** Rows of measurements. */
  figures?: Record<string, object>
}

export type Output = {
  json: boolean
  /** `print` and `table` write to stdout. With `json`, only one JSON object may be there, for programs to read. */
  print: (text: string) => void
  table: (rows: unknown) => void
  /** To stderr. */
  progress: (line: string) => void
}

/** Returns the exit status: 0 if every promise holds. */
export function report({ seed, ledger, faults, figures }: Finished, output: Output): 0 | 1 {
  const counts = Object.fromEntries(Object.entries(ledger).map(([name, found]) => [name, countOf(found)]))
  if (output.json) {
    output.print(
      `${JSON.stringify({ seed, ...counts, faults: faults.length, ...(figures && { figures }) })}\n`,
    )
  } else {
    output.table(countFaults(faults))
    output.table(counts)
    if (figures) output.table(figures)
  }
  for (const [name, found] of Object.entries(ledger)) {
    if (Array.isArray(found)) for (const one of found.slice(0, 20)) output.progress(`${name}: ${one}`)
  }
  if (!ledger.holds) output.progress(`a promise is broken: ${JSON.stringify(counts)}`)
  return ledger.holds ? 0 : 1
}

/** Several counts become one text, so that all rows of the table have the same columns. */
function countOf(found: unknown): unknown {
  if (Array.isArray(found)) return found.length
  if (typeof found !== "object" || found === null) return found
  return Object.entries(found)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ")
}
