import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, test } from "vitest"
import { pack } from "../src/pack/pack.ts"
import { startConsole } from "./fixtures/startConsole.ts"

const runFile = promisify(execFile)

// The oldest Node that the package supports, if this machine has it: `npm test` itself runs on a newer one.
const nodes = ["/usr/bin/node", "/usr/local/bin/node"].filter((path) => existsSync(path))
/** Node 20 lacks these functions, and a command that calls one would fail only when it is used. */
const newerThanNode20 = /\b(?:Object\.groupBy|Map\.groupBy|Array\.fromAsync|Promise\.try|RegExp\.escape)\(/
let node: string
let folder: string
let installed: string
let system: Awaited<ReturnType<typeof startConsole>>

beforeAll(async () => {
  node = (await findNode20()) ?? process.execPath
  folder = await mkdtemp(join(tmpdir(), "sitewire-packed-"))
  const archive = await pack(folder)
  await runFile("npm", ["install", "--offline", "--no-audit", "--no-fund", "--prefix", folder, archive], {
    env: { ...process.env, PATH: [dirname(node), process.env.PATH].join(delimiter) },
  })
  installed = join(folder, "node_modules/@sitewire/cli")
  system = await startConsole()
})
afterAll(async () => {
  await system?.stop()
  await rm(folder, { recursive: true })
})

async function findNode20(): Promise<string | undefined> {
  for (const path of nodes) {
    const { stdout } = await runFile(path, ["--version"])
    if (stdout.startsWith("v20.")) return path
  }
  return undefined
}

/** Runs the installed command without the repository's packages and the tests' variables. */
async function run(args: string[], { env = {}, flags = [] as string[] } = {}) {
  const command = join(folder, "node_modules/.bin/sitewire")
  return runFile(node, [...flags, command, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ...env },
  })
}

test("the archive contains no dependency, and the licences of what it contains", async () => {
  const manifest = JSON.parse(await readFile(join(installed, "package.json"), "utf8"))
  expect(manifest.dependencies).toBeUndefined()
  expect(manifest.engines).toEqual({ node: ">=20" })
  const licences = await readFile(join(installed, "THIRD-PARTY-LICENSES"), "utf8")
  for (const name of ["commander", "kafkajs", "pg", "zod"])
    expect(licences).toMatch(new RegExp(`^${name} \\d`, "m"))
  expect(licences).not.toContain("prisma")
  expect((await run(["--version"])).stdout).toBe(`${manifest.version}\n`)
})

test("it works with a real console, Kafka and Postgres", async () => {
  const env = { ...system.cliEnv, DATABASE_URL: system.installation.databaseUrl }
  await run(["channel", "create", "--id", "acme", "--address", "https://a.example"], { env })
  const { stdout: list } = await run(["channel", "list", "--json"], { env })
  expect(JSON.parse(list).data).toMatchObject([{ id: "acme" }])
  const { stdout: published } = await run(["event", "publish", "--channel", "acme", "--json"], { env })
  expect(JSON.parse(published)).toMatchObject({ acknowledged: 1 })
  await system.installation.setUp()
  const retries = { RETRY_DELAYS: "200ms,400ms", RETRY_PERIOD: "1h" }
  const sealing = { SEALING_KEYS: system.installation.sealingKeys }
  const { stdout: doctor } = await run(["doctor", "--json", "--broker-clock"], {
    env: { ...env, ...retries, ...sealing },
  })
  const { checks } = JSON.parse(doctor) as { checks: { name: string; state: string }[] }
  // Its delays depart from the contract.
  const expected = ["RETRY_DELAYS", "RETRY_PERIOD"]
  expect(checks.filter(({ state }) => state !== "ok").map(({ name }) => name)).toEqual(expected)
})

test("it starts in less than four times the time of an empty script, without the clients of Kafka and Postgres", async () => {
  const empty = await readStartTimes((flags) => runFile(node, [...flags, "--eval", ""]))
  for (const args of [["--version"], ["delivery", "list", "--help"]]) {
    const times = await readStartTimes((flags) => run(args, { flags }))
    expect(Math.min(...times) / Math.min(...empty), args.join(" ")).toBeLessThan(4)
  }
  const main = await readFile(join(installed, "dist/sitewire.js"), "utf8")
  expect(newerThanNode20.exec(main)?.[0]).toBeUndefined()
  const imported = [...main.matchAll(/^import .* from "\.\/(.*)";$/gm)].map(([, name]) => name ?? "")
  const texts = await Promise.all(imported.map((name) => readFile(join(installed, "dist", name), "utf8")))
  for (const text of [main, ...texts]) expect(text).not.toMatch(/region .*node_modules\/(kafkajs|pg)\//)
})

/** Milliseconds of processor time, because other tests run at the same time. */
async function readStartTimes(start: (flags: string[]) => Promise<{ stderr: string }>): Promise<number[]> {
  const atExit = `process.on('exit', () => {
    const { user, system } = process.cpuUsage()
    console.error((user + system) / 1000)
  })`
  const flags = ["--import", `data:text/javascript,${encodeURIComponent(atExit)}`]
  const times: number[] = []
  for (let round = 0; round < 5; round++) times.push(Number((await start(flags)).stderr))
  return times
}
