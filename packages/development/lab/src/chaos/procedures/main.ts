import { readArguments } from "@sitewire/runtime"
import { settingsFor } from "../settings.ts"
import { procedures } from "./procedures.ts"
import { runProcedure } from "./runProcedure.ts"

const known = Object.keys(procedures)
const { values, positionals, explain } = readArguments(
  { json: { type: "boolean", default: false }, seed: { type: "string", default: "1" } },
  `npm run procedures -- [${known.join("|")} …] [--seed S] [--json]: executes the steps of docs/operators/procedures under load`,
)
const names = positionals.length > 0 ? positionals : known
const results: Record<string, unknown> = {}
let broken = false
for (const name of names) {
  const procedure = procedures[name] ?? explain(`There is no procedure ${name}.`)
  const progress = (line: string) => void process.stderr.write(`${name}: ${line}\n`)
  try {
    const { ledger } = await runProcedure({
      ...{ procedure, seed: Number(values.seed), progress, ...settingsFor(1) },
    })
    results[name] = {
      ...ledger,
      forgotten: ledger.forgotten.length,
      statuses: JSON.stringify(ledger.statuses),
    }
    if (!ledger.holds) broken = true
  } catch (error) {
    progress(error instanceof Error ? error.message : String(error))
    results[name] = { holds: false }
    broken = true
  }
}
if (values.json) process.stdout.write(`${JSON.stringify(results)}\n`)
else console.table(results)
process.exit(broken ? 1 : 0)
