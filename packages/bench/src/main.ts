import { readArguments } from "@sitewire/testkit"
import { measureAccepting } from "./inbound/accepting.ts"
import { measureClaims } from "./inbound/claims.ts"
import { measureSynced } from "./inbound/synced.ts"
import { measureTakingIn } from "./inbound/takingIn.ts"
import type { Measure } from "./measure.ts"
import { isolationRetryDelaysMs, measureIsolation } from "./outbound/isolation.ts"
import { measureLatency } from "./outbound/latency.ts"
import { latenessRetryDelaysMs, measureLateness } from "./outbound/lateness.ts"
import { measureThroughput } from "./outbound/throughput.ts"
import { measureWaiting } from "./outbound/waiting.ts"
import { type Installation, startInstallation } from "./startInstallation.ts"

type Progress = (line: string) => void
type Part = {
  run: (it: Installation, progress: Progress) => Promise<Measure[]>
  /** Where the part needs others than the usual ones. */
  retryDelaysMs?: readonly number[]
}

/** The measures by flow, in the order in which they run; each gets a Postgres and a Kafka of its own. */
const flows: Record<string, Record<string, Part>> = {
  outbound: {
    throughput: { run: (it, progress) => measureThroughput(it, 50_000, progress) },
    latency: { run: measureLatency },
    isolation: { run: measureIsolation, retryDelaysMs: isolationRetryDelaysMs },
    waiting: { run: measureWaiting },
    lateness: { run: measureLateness, retryDelaysMs: latenessRetryDelaysMs },
  },
  inbound: {
    accepting: { run: measureAccepting },
    claims: { run: measureClaims },
    "taking-in": { run: measureTakingIn },
    synced: { run: measureSynced },
  },
}

const names = Object.entries(flows).map(([flow, of]) => `  ${flow}: ${Object.keys(of).join(", ")}`)
const { values, positionals, explain } = readArguments(
  { json: { type: "boolean", default: false }, only: { type: "string" } },
  `npm run bench -- outbound|inbound [--json] [--only PART]\nparts:\n${names.join("\n")}`,
)
const progress: Progress = (line) => void process.stderr.write(`bench: ${line}\n`)
const parts = flows[positionals[0] ?? ""] ?? explain("Which flow is to be measured?")
if (values.only !== undefined && !parts[values.only]) explain(`There is no part ${values.only}.`)

const measures: Measure[] = []
for (const [name, part] of Object.entries(parts)) {
  if (values.only !== undefined && values.only !== name) continue
  const it = await startInstallation(progress, part.retryDelaysMs)
  try {
    measures.push(...(await part.run(it, progress)))
  } finally {
    await it.stop()
  }
}
if (values.json) process.stdout.write(`${JSON.stringify(measures)}\n`)
else console.table(measures)
process.exit(measures.every(({ holds }) => holds) ? 0 : 1)
