import { spawn } from "node:child_process"
import { mkdir, rm, writeFile } from "node:fs/promises"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { setup } from "../globalSetup.ts"
import { countTests } from "./countTests.ts"
import { listTestTasks } from "./listTestTasks.ts"
import { repeatFailures } from "./repeatFailures.ts"

/*
 * `npm test`: tests all workspaces with turbo, and skips those whose tests passed before with the same files.
 * Up to five tests that fail are repeated alone, once the others have ended.
 * `npm test -- --force` skips none; `npm test -- --filter=@sitewire/kafka` tests only one.
 * `npm test -- <file> -t <name>`: all other arguments are vitest's, which then runs once for the whole
 * repository.
 */

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const turbo = join(root, "node_modules/turbo/bin/turbo")
const vitest = join(root, "node_modules/vitest/vitest.mjs")
/** The last lines of the output are also written to this file, from which `.ci/run` reads it. */
const countFile = join(root, ".sitewire/tests.txt")

// Ctrl-C reaches all processes of the terminal, so turbo or vitest ends by itself. This process then stops
// the servers.
let signalled = false
let running: ReturnType<typeof spawn> | undefined
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    signalled = true
    if (signal !== "SIGINT") running?.kill(signal)
  })
}

const { env } = process
env.TEST_SERVERS = [process.version, env.BACKING_SERVICES, env.DATABASE_URL, env.KAFKA_BROKERS].join(" ")

/** One more than there are cores, because tests often wait for a time; at most as many as one Postgres and Kafka are used to. */
const workspacesAtOnce = Math.min(4, availableParallelism() + 1)

const args = process.argv.slice(2)
const forTurbo = args.every((arg) => arg === "--force" || arg.startsWith("--filter="))
process.exitCode = forTurbo ? await testWorkspaces() : await withServers(() => run(vitest, ["run", ...args]))
if (signalled) process.exitCode = 130

async function testWorkspaces(): Promise<number> {
  const tasks = await listTestTasks({ root, turbo, args })
  const unchanged = tasks.filter(({ cached }) => cached)
  if (unchanged.length > 0) {
    const total = `${unchanged.length} of ${tasks.length} workspaces`
    log(`${total} are unchanged since their tests passed, and are skipped; npm test -- --force tests all`)
  }
  await rm(countFile, { force: true })
  // Reports of earlier runs must not be counted. For skipped workspaces, turbo restores the reports from its
  // cache.
  for (const { folder } of tasks) await rm(join(root, folder, ".sitewire/tests.json"), { force: true })

  let passedAlone = 0
  const runTasks = async () => {
    const code = await run(turbo, ["run", "test", "--continue", `--concurrency=${workspacesAtOnce}`, ...args])
    if (code === 0 || signalled) return code
    const repeated = await repeatFailures({ root, tasks, runVitest: (args) => run(vitest, args) })
    for (const { file, name } of repeated.passedAlone)
      log(`passed only when repeated alone: ${file} > ${name}`)
    passedAlone = repeated.passedAlone.length
    return code
  }
  const code = unchanged.length === tasks.length ? await runTasks() : await withServers(runTasks)
  if (signalled) return 130

  const { line, failed, skipped, problems } = await countTests(root, tasks, passedAlone)
  for (const problem of problems) log(problem)
  await mkdir(join(root, ".sitewire"), { recursive: true })
  const lines = [...skipped.map((test) => `skipped: ${test}`), line].join("\n")
  await writeFile(countFile, `${lines}\n`)
  process.stdout.write(`${lines}\n`)
  if (problems.length > 0 || failed > 0) return 1
  return passedAlone > 0 ? 0 : code
}

async function withServers(work: () => Promise<number>): Promise<number> {
  const stop = await setup()
  try {
    return signalled ? 130 : await work()
  } finally {
    await stop()
  }
}

function run(script: string, scriptArgs: string[]): Promise<number> {
  const child = spawn(process.execPath, [script, ...scriptArgs], { cwd: root, stdio: "inherit" })
  running = child
  return new Promise((resolve, reject) => {
    child.once("error", reject)
    child.once("close", (code) => {
      running = undefined
      resolve(code ?? 1)
    })
  })
}

function log(line: string): void {
  process.stderr.write(`tests: ${line}\n`)
}
