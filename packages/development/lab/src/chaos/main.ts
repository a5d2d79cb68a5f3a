import { randomInt } from "node:crypto"
import { readArguments } from "@sitewire/runtime"
import { runInbound } from "./inbound/runInbound.ts"
import { runOutbound } from "./outbound/runOutbound.ts"
import { report } from "./report/report.ts"
import { runRestore } from "./restore/runRestore.ts"
import { settingsFor } from "./settings.ts"
import { runUpgrade } from "./upgrade/runUpgrade.ts"

const { values, positionals, explain } = readArguments(
  {
    json: { type: "boolean", default: false },
    seed: { type: "string" },
    minutes: { type: "string" },
    brokers: { type: "string" },
    from: { type: "string" },
  },
  "npm run chaos -- outbound|inbound|restore|upgrade [--seed S] [--minutes M] [--brokers B] [--from REF] [--json]",
)
const [named] = positionals
const seed = Number(values.seed ?? randomInt(1, 1_000_000))
const minutes = Number(values.minutes ?? 5)
const brokers = Number(values.brokers ?? (named === "upgrade" ? 3 : 1))
if (!Number.isSafeInteger(seed) || !(minutes > 0))
  explain("--seed is a whole number, and --minutes is above 0.")
if (!Number.isSafeInteger(brokers) || brokers < 1 || brokers === 2)
  explain("--brokers is 1, or 3 or more: two brokers have only one controller, which could not be stopped.")
const runs = { outbound: runOutbound, inbound: runInbound, restore: runRestore, upgrade: runUpgrade }
const isFlow = named !== undefined && Object.hasOwn(runs, named) && positionals.length === 1
const flow = isFlow
  ? (named as keyof typeof runs)
  : explain("Which run: outbound, inbound, restore or upgrade?")

const progress = (line: string) => void process.stderr.write(`chaos: ${line}\n`)
progress(`${flow}, seed ${seed}, ${minutes} minutes of faults, brokers: ${brokers}`)
const settings = { seed, brokerCount: brokers, progress, ...settingsFor(minutes) }
const deliveries = Math.ceil(minutes * 4_000)
const { ledger, faults } = await runs[flow]({ ...settings, deliveries, from: values.from })
const output = {
  json: values.json,
  print: (text: string) => void process.stdout.write(text),
  table: console.table,
  progress,
}
process.exit(report({ flow, seed, ledger, faults }, output))
