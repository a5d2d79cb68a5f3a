// Runs on the machine's Node (20.19 or newer), installs missing dependencies, and runs the command with Node 24, which
// is one of the dependencies. It is plain JavaScript, because older versions of Node do not run TypeScript.
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import module from "node:module"
import { createServer } from "node:net"
import { delimiter, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))
const binaries = join(root, "node_modules", ".bin")

const commands = {
  start: ["development/local/src/start.ts"],
  demo: ["development/local/src/demo.ts"],
  reset: ["development/local/src/reset.ts"],
  sitewire: [],
  bench: ["development/lab/src/bench/main.ts"],
  chaos: ["development/lab/src/chaos/main.ts"],
  procedures: ["development/lab/src/chaos/main.ts", "procedures"],
  soak: ["development/lab/src/chaos/main.ts", "soak"],
  screenshots: ["packages/web/test/screenshots.ts"],
  mutants: ["development/lab/src/mutants/main.ts"],
  test: ["development/testkit/src/npmTest/main.ts", "main"],
  "test:extended": ["development/testkit/src/npmTest/main.ts", "extended"],
  "test:all": ["development/testkit/src/npmTest/main.ts", "all"],
  check: ["node_modules/turbo/bin/turbo", "run", "lint", "types:all", "unused", "repository", "--continue"],
}

const [name = "", ...args] = process.argv.slice(2)
const command = commands[name]
if (!command) {
  console.error(`usage: node development/local/bootstrap.mjs ${Object.keys(commands).join("|")}`)
  process.exit(2)
}

// Ctrl-C signals every process of the terminal. The command handles the signal, and this process only waits
// for the command's end.
const began = Date.now()
let running
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    if (!running) process.exit(130)
    if (signal !== "SIGINT") running.kill(signal)
  })
}

// npm sends SIGTERM only to the shell that it started. If this shell, our parent, has ended, we handle that
// like SIGTERM.
if (process.env.npm_lifecycle_event) {
  const parent = process.ppid
  setInterval(() => process.ppid === parent || process.kill(process.pid, "SIGTERM"), 300).unref()
}

process.env.SITEWIRE_BEGAN_AT = String(began)
if (name === "start") await requirePorts()
await install()
await generate()
if (name === "sitewire") await runCli()
else {
  const [script, ...fixed] = command
  const { code, signal } = await run(findNode(), [join(root, script), ...fixed, ...args], {
    stdio: "inherit",
  })
  process.exitCode = code ?? (signal === "SIGINT" ? 130 : 1)
}

/** In this process, and as one file: starting another Node and finding 400 modules takes longer than most commands. */
async function runCli() {
  const all = join(root, ".sitewire", "cli")
  const folder = join(all, cliKey())
  if (!existsSync(folder)) await bundleCli(all, folder)
  try {
    utimesSync(folder, new Date(), new Date())
  } catch {
    // It belongs to another user, and may be deleted sooner.
  }
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.removeAllListeners(signal)
  module.enableCompileCache?.(join(root, ".sitewire", "compiled"))
  process.argv.splice(1, 2, join(folder, "sitewire.js"))
  await import(pathToFileURL(join(folder, "sitewire.js")))
}

/** Changes with each file that can change the bundle. Reading their times is faster than reading their contents. */
function cliKey() {
  let files = ""
  function add(path) {
    const stat = lstatSync(join(root, path), { throwIfNoEntry: false })
    if (stat?.isDirectory()) for (const name of readdirSync(join(root, path))) add(`${path}/${name}`)
    else if (stat) files += `${path} ${stat.mtimeMs} ${stat.size}\n`
  }
  for (const name of readdirSync(join(root, "packages"))) {
    // There are also left-over folders, and files of file managers.
    if (!existsSync(join(root, "packages", name, "src"))) continue
    add(`packages/${name}/src`)
    add(`packages/${name}/package.json`)
  }
  add("prisma/migrations")
  add("package-lock.json")
  return createHash("sha256").update(files).digest("hex")
}

/** Others may bundle at the same time, or run an older bundle, of which they load parts later. */
async function bundleCli(all, folder) {
  mkdirSync(all, { recursive: true })
  const written = join(all, `new-${process.pid}-${began}`)
  try {
    const bundle = pathToFileURL(join(root, "packages/cli/src/pack/bundle.ts"))
    const script = `await (await import("${bundle}")).bundle(process.argv[1])`
    const { code, output } = await run(findNode(), ["--input-type=module", "-e", script, written], {})
    if (code !== 0) throw new Error(`the command line could not be bundled:\n${output}`)
    renameSync(written, folder)
  } catch (error) {
    // If another run has been faster, its folder is the same.
    if (!existsSync(folder)) throw error
  } finally {
    rmSync(written, { recursive: true, force: true })
  }
  for (const old of readdirSync(all).map((name) => join(all, name))) {
    const unusedSince = statSync(old, { throwIfNoEntry: false })?.mtimeMs
    if (unusedSince < began - 24 * 3_600_000) rmSync(old, { recursive: true, force: true })
  }
}

async function install() {
  const stamp = join(root, "node_modules", ".sitewire-installed")
  const wanted = `${digest("package-lock.json")} ${process.platform} ${process.arch}\n`
  if (read(stamp) === wanted) return
  await step("installing packages (npm ci)", "npm", ["ci", "--prefer-offline", "--no-audit", "--no-fund"])
  writeFileSync(stamp, wanted)
}

async function generate() {
  const stamp = join(root, "packages", "database", "generated", ".sitewire-schema")
  const wanted = `${digest("prisma/schema.prisma")} ${digest("package-lock.json")}\n`
  if (read(stamp) === wanted) return
  // Without PRISMA_SCHEMA_ENGINE_BINARY, Prisma downloads a schema engine, which is not needed here.
  const own = { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, PRISMA_HIDE_UPDATE_MESSAGE: "1" }
  const prisma = [
    join(root, "node_modules/prisma/build/index.js"),
    "generate",
    "--schema",
    "prisma/schema.prisma",
  ]
  await step("generating the database client", findNode(), prisma, { ...process.env, ...own })
  writeFileSync(stamp, wanted)
}

/** Before anything is downloaded. What runs already has stored its addresses, and `npm start` says so itself. */
async function requirePorts() {
  if (existsSync(join(root, ".sitewire", "local.json"))) return
  const given = { POSTGRES_PORT: process.env.DATABASE_URL, KAFKA_PORT: process.env.KAFKA_BROKERS }
  const defaults = JSON.parse(read(join(root, "development/local/ports.json")))
  const taken = []
  for (const [variable, port] of Object.entries(defaults)) {
    const wanted = process.env[variable]?.trim() || port
    if (!given[variable] && !(await isFree(Number(wanted)))) taken.push([variable, wanted])
  }
  if (taken.length === 0) return
  const ports = taken.map(([variable, port]) => `  ${variable}: ${port}\n`).join("")
  const others = taken.map(([variable]) => `${variable}=0`).join(" ")
  const advice = `End what listens there, or choose others; 0 is any free port:\n  ${others} npm start\n`
  process.stderr.write(`These ports are not free:\n${ports}${advice}`)
  process.exit(1)
}

function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer().once("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })
}

/** On a terminal, a line that changes each second. Elsewhere, one at the beginning. */
async function step(what, file, fileArgs, env = process.env) {
  const { isTTY } = process.stderr
  const say = (end) => {
    const seconds = ((Date.now() - began) / 1000).toFixed(1).padStart(5)
    process.stderr.write(`${isTTY ? "\r" : ""}${seconds} s  ${what}${end}`)
  }
  say(isTTY ? "" : "\n")
  const timer = isTTY && setInterval(say, 1_000, "")
  const { code, output } = await run(file, fileArgs, { env, stdio: ["ignore", "pipe", "pipe"] })
  if (timer) clearInterval(timer)
  if (code !== 0) {
    process.stderr.write(`\n${output}\n${what} failed with exit code ${code}. The lines above say why.\n`)
    process.exit(1)
  }
  if (isTTY) say(": done\n")
}

function run(file, fileArgs, options) {
  return new Promise((resolve, reject) => {
    const env = { ...(options.env ?? process.env) }
    env.PATH = [binaries, env.PATH].join(delimiter)
    const child = spawn(file, fileArgs, { cwd: root, ...options, env })
    running = child
    let output = ""
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (text) => (output += text))
    child.on("error", reject)
    child.on("close", (code, signal) => {
      running = undefined
      resolve({ code, signal, output })
    })
  })
}

/** The path of Node 24 from the dependencies, or of this Node if it is new enough. */
function findNode() {
  const packaged = join(binaries, "node")
  if (existsSync(packaged)) return packaged
  if (Number(process.versions.node.split(".")[0]) >= 24) return process.execPath
  console.error(
    `Sitewire needs Node 24, and no package contains it for ${process.platform} ${process.arch}. ` +
      `Install Node 24; this is ${process.version}.`,
  )
  process.exit(1)
}

function digest(file) {
  return createHash("sha256")
    .update(readFileSync(join(root, file)))
    .digest("hex")
}

function read(file) {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return undefined
  }
}
