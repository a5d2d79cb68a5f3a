import { readArguments } from "@sitewire/runtime"
import { measureOtherLoad } from "../shared/processUsage.ts"
import { measureAccepting } from "./inbound/accepting.ts"
import { measureClaims } from "./inbound/claims.ts"
import { excuseBusyMachine, type Measure, notMeasured } from "./measure.ts"
import { measureThroughput, measureTls } from "./outbound/backlog.ts"
import { isolation } from "./outbound/isolation.ts"
import { measureLatency } from "./outbound/latency.ts"
import { latenessRetryDelaysMs, measureLateness } from "./outbound/lateness.ts"
import { measureRetained } from "./outbound/retained.ts"
import { type Bench, type BenchOptions, readCheckout, startBench } from "./startBench.ts"

type Part = { about: string; run: (it: Bench) => Promise<Measure[]>; retryDelaysMs?: readonly number[] }

/** The parts of each flow run in this order, each on a new Postgres and Kafka. */
const flows: Record<string, Record<string, Part>> = {
  outbound: {
    throughput: { about: "deliveries/s and CPU from a backlog, beside a bare loop", run: measureThroughput },
    tls: { about: "the same to 3,000 partners over TLS, whose names are resolved", run: measureTls },
    latency: { about: "publish to arrival at 200/s, beside a bare consumer", run: measureLatency },
    isolation: isolation({ healthy: 10, hanging: 1, bound: 1.2 }),
    "isolation-400": isolation({ healthy: 100, hanging: 400, bound: 1.5 }),
    "isolation-3000": isolation({ healthy: 100, hanging: 3_000, bound: 1.5 }),
    retained: { about: "CPU per event with many deliveries retained (--retained)", run: measureRetained },
    lateness: { about: "how late retries are", run: measureLateness, retryDelaysMs: latenessRetryDelaysMs },
  },
  inbound: {
    accepting: { about: "triggers/s that a gateway accepts, beside bare Express", run: measureAccepting },
    claims: { about: "due connections claimed and finished, beside pgbench", run: measureClaims },
  },
}

const parts = Object.entries(flows).flatMap(([flow, of]) => [
  `  ${flow}`,
  ...Object.entries(of).map(([name, { about }]) => `    ${name.padEnd(16)}${about}`),
])
const { values, positionals, explain } = readArguments(
  {
    json: { type: "boolean", default: false },
    only: { type: "string" },
    services: { type: "string", default: new URL("../../../..", import.meta.url).pathname },
    retained: { type: "string", default: "5000000" },
  },
  `npm run bench -- outbound|inbound [options]
  --only PART[,PART]   run these parts only
  --services FOLDER    measure the services of another checkout, with its dependencies and migrations
  --retained COUNT     deliveries in the table of the part retained (5000000)
  --json               print JSON instead of a table
parts, in the order in which they run:
${parts.join("\n")}
Exits with 1 if a measure misses its target. One that could not be judged has "holds": null and a reason.`,
)
const flow = flows[positionals[0] ?? ""] ?? explain("Name a flow: outbound or inbound.")
const names = values.only?.split(",") ?? Object.keys(flow)
for (const name of names) if (!flow[name]) explain(`There is no part ${name}. The parts are listed below.`)
const retained = Number(values.retained)
if (!(Number.isInteger(retained) && retained > 0))
  explain("--retained must be a number of deliveries, such as 100000.")

const progress = (line: string) => void process.stderr.write(`bench: ${line}\n`)
const options: BenchOptions = { progress, retained }
const checkout = await readCheckout(values.services)
const measures: Measure[] = []
for (const [name, part] of Object.entries(flow))
  if (names.includes(name)) measures.push(...(await runPart(name, part)))
if (values.json) process.stdout.write(`${JSON.stringify(measures)}\n`)
else console.table(measures.map(({ reason: _, ...row }) => row))
for (const { measure, holds, reason } of measures)
  if (holds === null) progress(`not judged: ${measure}: ${reason}`)
process.exit(measures.some(({ holds }) => holds === false) ? 1 : 0)

/** If the part fails, the error becomes its result, and other parts still run. */
async function runPart(name: string, { about, run, retryDelaysMs }: Part): Promise<Measure[]> {
  progress(`${name}: ${about}`)
  try {
    const it = await startBench(checkout, options, retryDelaysMs)
    try {
      const others = measureOtherLoad()
      const measures = await run(it)
      const share = others()
      progress(`${name}: others took ${(100 * share).toFixed(0)} % of the machine's CPU time`)
      return measures.map((measure) => excuseBusyMachine(measure, share))
    } finally {
      await it.close()
    }
  } catch (error) {
    progress(`${name}: ${error instanceof Error ? error.stack : error}`)
    return [notMeasured(`${name}: ${about}`, error instanceof Error ? error.message : String(error))]
  }
}
