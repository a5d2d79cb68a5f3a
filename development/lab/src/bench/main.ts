import { readFileSync, writeFileSync } from "node:fs"
import { parseDuration } from "@sitewire/contracts"
import { readArguments } from "@sitewire/runtime"
import { measureOtherLoad } from "../shared/processUsage.ts"
import { excuseBusyMachine, type Measure, notMeasured } from "./measure.ts"
import { flows, type Part } from "./parts.ts"
import { type BenchOptions, readCheckout, startBench } from "./startBench.ts"

const ownCheckout = new URL("../../../..", import.meta.url).pathname

const parts = Object.entries(flows).flatMap(([flow, of]) => [
  `  ${flow}`,
  ...Object.entries(of).map(([name, { about }]) => `    ${name.padEnd(16)}${about}`),
])
const usage = `npm run bench -- outbound|inbound|web|sizing [options]
  --only PART[,PART]   run these parts only
  --services FOLDER    measure the services of another checkout, with its dependencies and migrations
  --save FILE          write the results to a file, after each part
  --baseline FILE      what an earlier run saved: measures that compare with before the change use it
  --retained COUNT     deliveries in the table of the parts retained (5000000) and searches (1000000)
  --paused DURATION    how long the part paused watches (5m)
  --json               print JSON instead of a table
parts, in the order in which they run:
${parts.join("\n")}
Exits with 1 if a measure misses its target. One that could not be judged has "holds": null and a reason.`
const { values, positionals, explain } = readArguments(
  {
    json: { type: "boolean", default: false },
    only: { type: "string" },
    services: { type: "string", default: ownCheckout },
    save: { type: "string" },
    baseline: { type: "string" },
    retained: { type: "string" },
    paused: { type: "string", default: "5m" },
  },
  usage,
)
const flow = flows[positionals[0] ?? ""] ?? explain("Name a flow: outbound, inbound, web or sizing.")
const names = values.only?.split(",") ?? Object.keys(flow)
for (const name of names) if (!flow[name]) explain(`There is no part ${name}. The parts are listed below.`)
const retained = values.retained === undefined ? null : Number(values.retained)
if (retained !== null && !(Number.isInteger(retained) && retained > 0))
  explain("--retained must be a number of deliveries, such as 100000.")

const progress = (line: string) => void process.stderr.write(`bench: ${line}\n`)
type Saved = Pick<Measure, "measure" | "value">[]
const saved: Saved = values.baseline === undefined ? [] : JSON.parse(readFileSync(values.baseline, "utf8"))
const options: BenchOptions = {
  progress,
  before: (name) => saved.find(({ measure }) => measure === name)?.value ?? null,
  retained,
  pausedMs: parseDuration(values.paused),
}
const checkout = await readCheckout(values.services)
const measures: Measure[] = []
for (const [name, part] of Object.entries(flow)) {
  if (!names.includes(name)) continue
  measures.push(...(await runPart(name, part)))
  if (values.save !== undefined) writeFileSync(values.save, `${JSON.stringify(measures, null, 2)}\n`)
}
if (values.json) process.stdout.write(`${JSON.stringify(measures)}\n`)
else console.table(measures.map(({ reason: _, details: __, ...row }) => row))
for (const { measure, holds, reason } of measures)
  if (holds === null) process.stderr.write(`not judged: ${measure}: ${reason}\n`)
const count = (verdict: boolean | null) => measures.filter(({ holds }) => holds === verdict).length
process.stderr.write(`${count(true)} hold, ${count(false)} do not, ${count(null)} are not judged\n`)
process.exit(measures.some(({ holds }) => holds === false) ? 1 : 0)

/** If the part fails, the error becomes its result, and other parts still run. */
async function runPart(name: string, { about, run, retryDelaysMs }: Part): Promise<Measure[]> {
  progress(`${name}: ${about}`)
  const startedAt = performance.now()
  try {
    const it = await startBench(checkout, options, retryDelaysMs)
    try {
      const others = measureOtherLoad()
      const measures = await run(it)
      const share = others()
      const took = ((performance.now() - startedAt) / 1_000).toFixed(0)
      progress(
        `${name}: done in ${took} s; others took ${(100 * share).toFixed(0)} % of the machine's CPU time`,
      )
      return measures.map((measure) => excuseBusyMachine(measure, share))
    } finally {
      await it.close()
    }
  } catch (error) {
    progress(`${name}: ${error instanceof Error ? error.stack : error}`)
    return [notMeasured(`${name}: ${about}`, error instanceof Error ? error.message : String(error))]
  }
}
