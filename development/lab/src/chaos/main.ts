import { spawnSync } from "node:child_process"
import { randomInt } from "node:crypto"
import { resolve } from "node:path"
import { readArguments } from "@sitewire/runtime"
import { runInbound } from "./inbound/runInbound.ts"
import { runOutbound } from "./outbound/runOutbound.ts"
import { procedures } from "./procedures/procedures.ts"
import { runProcedure } from "./procedures/runProcedure.ts"
import { type Output, report } from "./report.ts"
import { runRestore } from "./restore/runRestore.ts"
import { settingsFor } from "./run.ts"
import { runSoak } from "./soak/runSoak.ts"
import { runUpgrade } from "./upgrade/runUpgrade.ts"

const { values, positionals, explain } = readArguments(
  {
    json: { type: "boolean", default: false },
    seed: { type: "string" },
    minutes: { type: "string", default: "5" },
    hours: { type: "string", default: "8" },
    brokers: { type: "string" },
    from: { type: "string" },
    continue: { type: "string" },
    histories: { type: "string", default: "1000" },
  },
  `npm run chaos -- outbound|inbound|restore|upgrade [--seed S] [--minutes M] [--brokers B] [--from REF] [--json]
  npm run chaos -- model [--histories N] [--seed S]: random histories of deliveries on the real statements and on a model
  npm run soak -- [--hours N] [--seed S] [--json] [--continue FOLDER]: both flows for N hours (8) with a fault every five
    minutes. Less than ten minutes are a short form. With FOLDER, leaves the ledger, all samples and the data there, and
    continues the soak of the same form that left them, even if it was killed.
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
const deliveries = Math.ceil(minutes * 4_000)

function soak() {
  const interrupted = new AbortController()
  process.once("SIGINT", () => {
    progress("ending the load; the report follows when all is quiet (Ctrl-C again: no report)")
    interrupted.abort()
  })
  const folder = values.continue && resolve(values.continue)
  return runSoak({ seed, durationMs: hours * 3_600_000, signal: interrupted.signal, folder, progress })
}

async function runProcedures() {
  const chosen = names.length > 0 ? names : Object.keys(procedures)
  const unknown = chosen.find((name) => !procedures[name])
  if (unknown !== undefined) explain(`There is no procedure ${unknown}.`)
  let status = 0
  for (const name of chosen) {
    const procedure = procedures[name]
    if (!procedure) continue
    progress(name)
    try {
      const done = await runProcedure({ procedure, seed, progress, ...settingsFor(1) })
      status = Math.max(status, report({ seed, ...done }, output))
    } catch (error) {
      progress(`${name}: ${error instanceof Error ? error.message : error}`)
      status = 1
    }
  }
  return status
}

function runModel() {
  const env = { ...process.env, MODEL_HISTORIES: values.histories, MODEL_SEED: String(seed) }
  const args = ["test", "--", "packages/deliveries/test/model", "--testTimeout=0"]
  return spawnSync("npm", args, { env, stdio: "inherit" }).status ?? 1
}

const runs = {
  outbound: () => runOutbound({ ...settings, deliveries }),
  inbound: () => runInbound(settings),
  restore: () => runRestore(settings),
  upgrade: () => runUpgrade({ ...settings, from: values.from }),
  soak,
}
if (run === "procedures") process.exit(await runProcedures())
if (run === "model") process.exit(runModel())
if (!Object.hasOwn(runs, run) || names.length > 0)
  explain("Which run: outbound, inbound, restore, upgrade or model?")
progress(`seed ${seed}`)
process.exit(report({ seed, ...(await runs[run as keyof typeof runs]()) }, output))
