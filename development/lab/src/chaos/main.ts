import { spawnSync } from "node:child_process"
import { randomInt } from "node:crypto"
import { readArguments } from "@sitewire/runtime"
import { runMixed } from "./mixed/runMixed.ts"
import { runOutbound } from "./outbound/runOutbound.ts"
import { procedures } from "./procedures/procedures.ts"
import { runProcedure } from "./procedures/runProcedure.ts"
import { type Finished, type Output, report } from "./report.ts"
import { runRestore } from "./restore/runRestore.ts"
import { settingsFor } from "./run.ts"
import { runUpgrade } from "./upgrade/runUpgrade.ts"

const { values, positionals, explain } = readArguments(
  {
    json: { type: "boolean", default: false },
    seed: { type: "string" },
    minutes: { type: "string", default: "5" },
    hours: { type: "string", default: "5" },
    brokers: { type: "string" },
    from: { type: "string" },
    histories: { type: "string", default: "1000" },
  },
  `npm run chaos -- outbound|mixed|restore|upgrade [--seed S] [--minutes M] [--brokers B] [--from REF] [--json]
  npm run chaos -- model [--histories N] [--seed S]: random histories of deliveries on the real statements and on a model
  npm run soak -- [--hours N] [--seed S] [--json]: mixed, both flows, for N hours (5) with a fault every five minutes
  npm run procedures -- [${Object.keys(procedures).join("|")} …] [--seed S] [--json]: executes the steps of
    docs/operators/procedures under load`,
)
const [run = "", ...names] = positionals
const seed = Number(values.seed ?? randomInt(1, 1_000_000))
const minutes = Number(values.minutes)
const hours = Number(values.hours)
const brokerCount = Number(values.brokers ?? (run === "upgrade" ? 3 : 1))
if (!Number.isSafeInteger(seed) || !(minutes > 0) || !(hours > 0))
  explain("--seed is a whole number, and --minutes and --hours are above 0.")
if (!Number.isSafeInteger(brokerCount) || brokerCount < 1 || brokerCount === 2)
  explain("--brokers is 1, or 3 or more: two brokers have only one controller, which could not be stopped.")

const progress = (line: string) => void process.stderr.write(`${run}: ${line}\n`)
const print = (text: string) => void process.stdout.write(text)
const output: Output = { json: values.json, print, table: console.table, progress }
const settings = { seed, brokerCount, progress, ...settingsFor(minutes) }
const runs: Record<string, () => Promise<Omit<Finished, "seed">>> = {
  outbound: () => runOutbound({ ...settings, deliveries: Math.ceil(minutes * 4_000) }),
  mixed: () => runMixed(settings),
  restore: () => runRestore(settings),
  upgrade: () => runUpgrade({ ...settings, from: values.from }),
  soak: () => {
    const { pace, ...long } = settingsFor(60 * hours)
    return runMixed({ ...settings, ...long, pace: { ...pace, gapMs: [300_000, 300_000] } })
  },
}
const procedure = (name: string) => () => {
  const chosen = procedures[name] ?? explain(`There is no procedure ${name}.`)
  return runProcedure({ procedure: chosen, seed, progress, ...settingsFor(1) })
}

if (run === "model") {
  const env = { ...process.env, MODEL_HISTORIES: values.histories, MODEL_SEED: String(seed) }
  const args = ["test", "--", "packages/deliveries/test/model", "--testTimeout=0"]
  process.exit(spawnSync("npm", args, { env, stdio: "inherit" }).status ?? 1)
}
const isKnown = run === "procedures" || (Object.hasOwn(runs, run) && names.length === 0)
if (!isKnown) explain("Which run: outbound, mixed, restore, upgrade or model?")
const chosen =
  run === "procedures" ? (names.length > 0 ? names : Object.keys(procedures)).map(procedure) : [runs[run]]
let status = 0
for (const each of chosen) {
  progress(`seed ${seed}`)
  const finished = await each?.().catch((error: unknown) => {
    progress(`${error instanceof Error ? error.stack : error}`)
    return null
  })
  status = Math.max(status, finished ? report({ seed, ...finished }, output) : 1)
}
process.exit(status)
