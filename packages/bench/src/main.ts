import { parseArgs } from "node:util"
import type { Measure } from "./measure.ts"
import { startInstallation } from "./outbound/installation.ts"
import { measureThroughput } from "./outbound/throughput.ts"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "boolean", default: false }, only: { type: "string" } },
})
const progress = (line: string) => void process.stderr.write(`bench: ${line}\n`)
if (positionals[0] !== "outbound") {
  process.stderr.write("usage: npm run bench -- outbound [--json] [--only throughput]\n")
  process.exit(2)
}
const it = await startInstallation(progress)
const measures: Measure[] = []
try {
  measures.push(...(await measureThroughput(it, 50_000, progress)))
} finally {
  await it.stop()
}
if (values.json) process.stdout.write(`${JSON.stringify(measures)}\n`)
else console.table(measures)
process.exit(measures.every(({ holds }) => holds) ? 0 : 1)
