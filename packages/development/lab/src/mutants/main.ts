import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { readArguments } from "@sitewire/runtime"
import { startKafka, startPostgres } from "@sitewire/testkit/backing"
import { copyTree } from "./copyTree.ts"
import { mutants } from "./mutants.ts"
import { describe, runMutants } from "./runMutants.ts"
import { testRunner } from "./runTests.ts"

const root = fileURLToPath(new URL("../../../../..", import.meta.url))
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
  const ends: (() => Promise<void>)[] = []
  try {
    const copy = await copyTree(root)
    ends.push(copy.remove)
    const folder = join(root, ".sitewire")
    const options = {
      directory: join(folder, "tests"),
      env: process.env,
      durability: "scratch" as const,
      progress,
    }
    const postgres = await startPostgres(options)
    ends.push(postgres.stop)
    const kafka = await startKafka({ ...options, jars: join(folder, "jars") })
    ends.push(kafka.stop)
    const env = { ...process.env, DATABASE_URL: postgres.address, KAFKA_BROKERS: kafka.address }
    const runTests = testRunner({ tree: copy.path, env, signal: stopping.signal })
    const judged = await runMutants({ tree: copy.path, mutants: chosen, runTests, progress })
    const wrong = judged.filter(({ verdict }) => verdict.kind !== "killed")
    for (const each of wrong) process.stdout.write(`${describe(each)}\n`)
    process.stdout.write(`${judged.length - wrong.length} of ${judged.length} faults were noticed\n`)
    return wrong.length === 0 ? 0 : 1
  } catch (error) {
    if (!stopping.signal.aborted) throw error
    return 130
  } finally {
    for (const end of ends.toReversed()) await end()
  }
}
