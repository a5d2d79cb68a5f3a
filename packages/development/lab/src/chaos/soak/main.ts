import { randomInt } from "node:crypto"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { readArguments } from "@sitewire/runtime"
import { countFaults } from "../faults/driveFaults.ts"
import { runSoak } from "./runSoak.ts"
import type { Sample } from "./sample.ts"
import { summarise } from "./summarise.ts"

const { values, explain } = readArguments(
  {
    hours: { type: "string", default: "8" },
    seed: { type: "string" },
    json: { type: "boolean", default: false },
  },
  "npm run soak -- [--hours N] [--seed S] [--json]: loads both flows for N hours (8) with a fault every five minutes. " +
    "0.02 hours are a short form. Writes all samples to .sitewire/soak.json.",
  { allowPositionals: false },
)
const hours = Number(values.hours)
const seed = Number(values.seed ?? randomInt(1, 1_000_000))
if (!(hours > 0) || !Number.isSafeInteger(seed)) explain("--hours is above 0, and --seed is a whole number.")
const progress = (line: string) => void process.stderr.write(`soak: ${line}\n`)
const interrupted = new AbortController()
process.once("SIGINT", () => {
  progress("ending the load; the report follows when all is quiet (Ctrl-C again: no report)")
  interrupted.abort()
})
progress(`${hours} hours, seed ${seed}`)
const durationMs = hours * 3_600_000
const samples: Sample[] = []
const folder = fileURLToPath(new URL("../../../../../../.sitewire", import.meta.url))
const samplesFile = join(folder, "soak.json")
const saveSamples = async () => {
  await mkdir(folder, { recursive: true })
  await writeFile(samplesFile, JSON.stringify(samples))
}
const { ledger, faults } = await runSoak({
  seed,
  durationMs,
  signal: interrupted.signal,
  samples,
  progress,
}).catch(async (error: unknown) => {
  await saveSamples()
  progress(`the samples until the failure are in ${samplesFile}`)
  throw error
})
await saveSamples()
const { forgotten, statuses, ...counted } = ledger
const figures = summarise(samples)
const result = {
  seed,
  ...counted,
  statuses,
  forgotten: forgotten.length,
  faults: faults.length,
  ...figures,
  samples: samplesFile,
}
if (values.json) process.stdout.write(`${JSON.stringify(result)}\n`)
else {
  console.table(countFaults(faults))
  const { median, largest } = figures.p99_ms
  console.table({
    ...counted,
    forgotten: forgotten.length,
    "p99 from publishing to arrival, ms: median of the samples": median,
    "p99 from publishing to arrival, ms: largest": largest,
  })
  console.table(figures.memory_mb)
  console.table(figures.cores)
  console.table(figures.descriptors)
  console.table(figures.tables_mb)
  console.table(figures.indexes_mb)
  process.stdout.write(`The samples are in ${samplesFile}\n`)
}
process.exit(ledger.holds ? 0 : 1)
