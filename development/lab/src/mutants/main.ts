import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { readArguments } from "@sitewire/runtime"
import { startBackingServices } from "@sitewire/testkit/backing"
import { copyCheckout } from "../shared/copyCheckout.ts"
import { stateFolder } from "../shared/startLab.ts"
import { mutants } from "./mutants.ts"
import { describe, runMutants } from "./runMutants.ts"
import { testRunner } from "./runTests.ts"

const { values, positionals, explain } = readArguments(
  { only: { type: "string" }, list: { type: "boolean", default: false } },
  "npm run mutants -- [--only TEXT] [--list]",
)
if (positionals.length > 0) explain(`Nothing is known of "${positionals[0]}".`)
const only = values.only?.toLowerCase()
const chosen = mutants.filter(
  ({ name, file }) => only === undefined || `${name} ${file}`.toLowerCase().includes(only),
)
if (chosen.length === 0) explain(`No fault has "${values.only}" in its name or its file.`)

const progress = (line: string) => void process.stderr.write(`mutants: ${line}\n`)
if (values.list) for (const { name, file } of chosen) process.stdout.write(`${name} (${file})\n`)
else process.exitCode = await run()

async function run(): Promise<number> {
  const stopping = new AbortController()
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => stopping.abort(new Error(`ended by ${signal}`)))
  // A copy, so that no fault is left in this checkout, however the run ends.
  const tree = await mkdtemp(join(tmpdir(), "sitewire-mutants-"))
  let backing: { stop(): Promise<void> } | undefined
  try {
    await copyCheckout(tree)
    const services = await startBackingServices({
      directory: join(stateFolder, "tests"),
      jars: join(stateFolder, "jars"),
      env: process.env,
      durability: "scratch",
      progress,
    })
    backing = services
    const { databaseUrl, brokers } = services
    const env = { ...process.env, DATABASE_URL: databaseUrl, KAFKA_BROKERS: brokers.join(",") }
    const runTests = testRunner({ tree, env, signal: stopping.signal })
    const judged = await runMutants({ tree, mutants: chosen, runTests, progress })
    const wrong = judged.filter(({ verdict }) => verdict.kind !== "killed")
    for (const each of wrong) process.stdout.write(`${describe(each)}\n`)
    process.stdout.write(`${judged.length - wrong.length} of ${judged.length} faults were noticed\n`)
    return wrong.length === 0 ? 0 : 1
  } catch (error) {
    if (!stopping.signal.aborted) throw error
    return 130
  } finally {
    await backing?.stop()
    await rm(tree, { recursive: true, force: true })
  }
}
