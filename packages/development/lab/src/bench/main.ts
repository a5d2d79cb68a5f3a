import { parseDuration } from "@sitewire/contracts"
import { readArguments } from "@sitewire/runtime"
import type { BenchOptions } from "./benchOptions.ts"
import { readCheckout } from "./installation/readCheckout.ts"
import type { Measure } from "./measure/measure.ts"
import { flows } from "./parts.ts"
import { readBaseline, save, summarise } from "./results.ts"
import { runPart } from "./runPart.ts"

const ownCheckout = new URL("../../../../..", import.meta.url).pathname

const parts = Object.entries(flows).flatMap(([flow, of]) => [
  `  ${flow}`,
  ...Object.entries(of).map(([name, { about }]) => `    ${name.padEnd(16)}${about}`),
])
const usage = `npm run bench -- outbound|inbound|web|sizing [options]
  --only PART[,PART]   run these parts only
  --services FOLDER    measure the services of another checkout, with its dependencies and migrations
  --save FILE          write the results to a file, after each part
  --baseline FILE      what an earlier run saved: measures that compare with before the change use it
  --retained COUNT     deliveries in the table of the part retained (5000000)
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
    retained: { type: "string", default: "5000000" },
    paused: { type: "string", default: "5m" },
  },
  usage,
)
const flow = flows[positionals[0] ?? ""] ?? explain("Name a flow: outbound, inbound, web or sizing.")
const names = values.only?.split(",") ?? Object.keys(flow)
for (const name of names) if (!flow[name]) explain(`There is no part ${name}. The parts are listed below.`)
const retained = Number(values.retained)
if (!Number.isInteger(retained) || retained < 1)
  explain("--retained must be a number of deliveries, such as 100000.")

const saved = values.baseline === undefined ? null : readBaseline(values.baseline)
const options: BenchOptions = {
  progress: (line) => void process.stderr.write(`bench: ${line}\n`),
  before: (measure) => saved?.get(measure) ?? null,
  retained,
  pausedMs: parseDuration(values.paused),
}
const checkout = await readCheckout(values.services)
const measures: Measure[] = []
for (const [name, part] of Object.entries(flow)) {
  if (!names.includes(name)) continue
  measures.push(...(await runPart(name, part, checkout, options)))
  if (values.save !== undefined) save(values.save, measures)
}
if (values.json) process.stdout.write(`${JSON.stringify(measures)}\n`)
else console.table(measures.map(({ reason: _, details: __, ...row }) => row))
process.stderr.write(`${summarise(measures)}\n`)
process.exit(measures.some(({ holds }) => holds === false) ? 1 : 0)
