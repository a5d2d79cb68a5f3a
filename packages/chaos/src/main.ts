import { randomInt } from "node:crypto"
import { readArguments } from "@sitewire/testkit"
import { countFaults } from "./driveFaults.ts"
import { runInbound } from "./inbound/run.ts"
import { runOutbound } from "./outbound/run.ts"
import { settingsFor } from "./settings.ts"

const outboundFields = ["published", "lost", "duplicates", "bound", "forged", "forked"]
const inboundFields = ["accepted", "forgotten", "tooClose", "duplicates"]

const { values, positionals, explain } = readArguments(
  { json: { type: "boolean", default: false }, seed: { type: "string" }, minutes: { type: "string" } },
  "npm run chaos -- outbound|inbound [--seed S] [--minutes M] [--json]",
)
const [flow] = positionals
const seed = Number(values.seed ?? randomInt(1, 1_000_000))
const minutes = Number(values.minutes ?? 5)
if (!Number.isSafeInteger(seed) || !(minutes > 0)) explain("The seed is a whole number, the minutes above 0.")
if ((flow !== "outbound" && flow !== "inbound") || positionals.length !== 1)
  explain("Which flow is to be tried?")

const progress = (line: string) => void process.stderr.write(`chaos: ${line}\n`)
progress(`${flow}, seed ${seed}, ${minutes} minutes of faults`)
const settings = { seed, progress, ...settingsFor(minutes) }
const deliveries = minutes < 2 ? 3_000 : 20_000
const { ledger, faults } =
  flow === "outbound" ? await runOutbound({ ...settings, deliveries }) : await runInbound(settings)

/** Findings are lists with what was found; the table and the JSON say how many. */
const counted = Object.entries(ledger).map(
  ([name, found]) => [name, Array.isArray(found) ? found.length : found] as const,
)
if (values.json) {
  const named = flow === "outbound" ? outboundFields : inboundFields
  const fields = counted.filter(([name]) => named.includes(name))
  const result = { seed, ...Object.fromEntries(fields), faults: faults.length }
  process.stdout.write(`${JSON.stringify(result)}\n`)
} else {
  console.table(countFaults(faults))
  console.table(Object.fromEntries(counted))
}
for (const [name, found] of Object.entries(ledger)) {
  if (Array.isArray(found)) for (const one of found.slice(0, 20)) progress(`${name}: ${one}`)
}
process.exit(ledger.holds ? 0 : 1)
