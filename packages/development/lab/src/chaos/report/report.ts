import { countFaults, type Fault } from "../faults/driveFaults.ts"
import type { InboundLedger } from "../inbound/reconcile.ts"
import type { OutboundLedger } from "../outbound/reconcile/reconcile.ts"
import type { RestoreLedger } from "../restore/reconcile.ts"
import type { UpgradeLedger } from "../upgrade/runUpgrade.ts"

const jsonFields = {
  outbound: [
    ...["published", "delivered", "lost", "duplicates", "bound", "forged", "forked"],
    ...["resends", "unsent", "stranded"],
  ],
  inbound: ["accepted", "forgotten", "tooClose", "duplicates"],
  upgrade: [
    ...["published", "lost", "duplicates", "forged", "accepted", "rejected", "forgotten", "unfinished"],
    ...["migrations", "replaced"],
  ],
  restore: ["published", "delivered", "lost", "accepted", "forgotten", "duplicates", "forged", "stranded"],
}

export type Finished = {
  flow: keyof typeof jsonFields
  seed: number
  ledger: OutboundLedger | InboundLedger | RestoreLedger | UpgradeLedger
  faults: readonly Fault[]
}

export type Output = {
  json: boolean
  /**
   * `print` and `table` write to stdout. With `json`, only one JSON object may be there, for programs to
   * read.
   */
  print: (text: string) => void
  table: (rows: unknown) => void
  /** To stderr. */
  progress: (line: string) => void
}

/** Returns the exit status: 0 if every promise holds. */
export function report({ flow, seed, ledger, faults }: Finished, output: Output): 0 | 1 {
  const counted = Object.entries(ledger).map(([name, found]) => [name, countOf(found)] as const)
  if (output.json) {
    const fields = counted.filter(([name]) => jsonFields[flow].includes(name))
    const result = { seed, ...Object.fromEntries(fields), faults: faults.length }
    output.print(`${JSON.stringify(result)}\n`)
  } else {
    output.table(countFaults(faults))
    output.table(Object.fromEntries(counted))
  }
  for (const [name, found] of Object.entries(ledger)) {
    if (Array.isArray(found)) for (const one of found.slice(0, 20)) output.progress(`${name}: ${one}`)
  }
  // The JSON does not contain all counts.
  if (!ledger.holds && output.json)
    output.progress(`a promise is broken: ${JSON.stringify(Object.fromEntries(counted))}`)
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
