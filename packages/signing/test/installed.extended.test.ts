import { execFile, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { promisify } from "node:util"
import { closedPort, waitUntil } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest"
import { sourceRequestHeaders } from "../src/sender/index.ts"
import { signDelivery } from "../src/testing.ts"
import { secret as commandSecret, isSigned, startReceiver, verifying } from "./command/receivers.ts"

const root = join(import.meta.dirname, "..")
const readme = readFileSync(join(root, "README.md"), "utf8")
const samples = new Map(
  [...readme.matchAll(/^```ts (\w+)\n(.*?)^```/gms)].map(([, name, code]) => [name, code]),
)
const partner = mkdtempSync(join(tmpdir(), "sitewire-partner-"))
const secret = "9f2c7b41d05e4a6e8c13ab77f0d92e54"

// A partner's project: the package installed from its archive, and the README's samples compiled in strict mode.
beforeAll(() => {
  const packaged = join(partner, "packaged")
  mkdirSync(packaged)
  run(process.execPath, [join(root, "package.ts"), packaged])
  writeFileSync(join(partner, "package.json"), '{"private":true,"type":"module"}')
  const archive = run("npm", ["pack", packaged, "--silent"]).trim()
  run("npm", ["install", `./${archive}`, "--offline", "--no-audit", "--no-fund"])
  for (const name of ["express", "@types/node", "@types/express"]) link(name)
  for (const [name, code = ""] of samples) writeFileSync(join(partner, `${name}.ts`), code)
  compile(
    ["--module", "nodenext"],
    [...samples.keys()].map((name) => `${name}.ts`),
  )
})

afterAll(() => rmSync(partner, { recursive: true }))

test("what a partner installs has no dependencies and no tests, and its main entry needs no Node", () => {
  const installed = join(partner, "node_modules/@sitewire/signing")
  const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"))
  expect(Object.keys(manifest).filter((key) => /dependencies/i.test(key))).toEqual([])
  const files = readdirSync(installed, { recursive: true, encoding: "utf8" })
  expect(files.filter((file) => /\.test\./.test(file))).toEqual([])
  const reached = importsOf(join(installed, manifest.exports["."].import.default))
  expect(reached.size).toBeGreaterThan(5)
  expect([...reached].filter((path) => path.startsWith("node:"))).toEqual([])
})

test("the README's receiver for Express takes a genuine delivery and no other", async () => {
  const url = `${await start("express")}/webhook`
  const { body, headers } = await signDelivery({}, secret)
  const post = (given: Record<string, string>, content = body) =>
    fetch(url, { method: "POST", headers: given, body: content })
  expect((await post(headers)).status).toBe(204)
  const mismatch = await post(headers, (await signDelivery({ name: "another" }, secret)).body)
  expect([mismatch.status, await mismatch.json()]).toEqual([401, { fault: "mismatch" }])
  const missing = await post({})
  expect([missing.status, await missing.json()]).toEqual([401, { fault: "missing" }])
  const other = await signDelivery("{}", secret)
  expect((await post(other.headers, other.body)).status).toBe(400)
})

test("the README's function for everything else takes a genuine delivery and no other", async () => {
  vi.stubEnv("SITEWIRE_SECRET", secret)
  onTestFinished(() => void vi.unstubAllEnvs())
  const { receive } = await import(join(partner, "receive.js"))
  const { body, headers } = await signDelivery({}, secret)
  expect(await receive(body, headers)).toBe(204)
  expect(await receive(body, {})).toBe(401)
  const other = await signDelivery("{}", secret)
  expect(await receive(other.body, other.headers)).toBe(400)
})

test("the README's test of the handler of a Request passes", () => {
  expect(run(process.execPath, ["--test", "test.js"])).toMatch(/pass 1\n/)
})

test("the README's data source responds to a request that its connection's secret signed, and to no other", async () => {
  const source = await start("source")
  const status = async (secrets: string[], url = "https://api.partner.example/items") => {
    const timestamp = Math.floor(Date.now() / 1_000)
    const headers = sourceRequestHeaders({ id: "bakery_7", timestamp, method: "GET", url, secrets })
    return (await fetch(source, { headers })).status
  }
  expect(await status([secret])).toBe(200)
  expect(await status(["sws_another"])).toBe(401)
  expect(await status([secret], "https://api.partner.example/other")).toBe(401)
  expect((await fetch(source)).status).toBe(401)
})

test("the partners' statement stores a repetition once and a correction in its place, and ignores a late retry", () => {
  const database = new DatabaseSync(":memory:")
  database.exec("create table site (site_url text primary key, name text, email text, delivery text)")
  const page = readFileSync(join(root, "../../docs/partners.md"), "utf8")
  const store = database.prepare(/^```sql\n(.*?)^```/ms.exec(page)?.[1] ?? "")
  for (const [name, delivery] of [
    ["Bakery", "019aa000-0000"],
    ["Bakery", "019aa000-0000"],
    ["Konditorei", "019aa000-0001"],
    ["Bakery", "019aa000-0000"],
  ] as const)
    store.run("https://bakery.example/", name, "a@b.example", delivery)
  expect(database.prepare("select name from site").all()).toEqual([{ name: "Konditorei" }])
})

test("a project of CommonJS gets functions and types, as `require` and from TypeScript", async () => {
  const entries = ["", "/express", "/fastify", "/koa", "/testing", "/sender"].map(
    (entry) => `@sitewire/signing${entry}`,
  )
  mkdirSync(join(partner, "commonjs"))
  writeFileSync(join(partner, "commonjs/package.json"), '{"type":"commonjs"}')
  const code = `${entries.map((entry, index) => `import * as entry${index} from "${entry}"`).join("\n")}
async function main() {
  const { body, headers } = await entry4.signDelivery({ name: "Bakery" }, "s")
  const event = await entry0.constructEvent(body, headers, ["s"])
  console.log(event.name, entry5.verify({ body, header: headers["X-Sitewire-Signature"], secrets: ["s"] }).valid)
  console.log(entry1.expressHandler.length, entry2.fastifyPlugin.length, entry3.koaMiddleware.length)
}
// @ts-expect-error A parsed body is not bytes. Without types, this would be no error.
const wrong = () => entry0.constructEvent({ event: "site.ready" }, {}, ["s"])
void main()
`
  writeFileSync(join(partner, "commonjs/main.ts"), code)
  for (const module of ["nodenext", "commonjs"]) {
    compile(["--module", module], ["commonjs/main.ts"])
    expect(readFileSync(join(partner, "commonjs/main.js"), "utf8")).toContain("require(")
    expect(run(process.execPath, ["commonjs/main.js"])).toBe("Bakery true\n3 3 3\n")
  }
})

test("the installed command sends, certifies, and gives a program the vectors; npx finds it", async () => {
  const command = (file: string, ...args: string[]) =>
    promisify(execFile)(file, args, { cwd: partner, env: { ...process.env, SECRET: commandSecret } }).then(
      ({ stdout }) => ({ code: 0, stdout }),
      ({ code, stdout }) => ({ code, stdout }),
    )
  const sitewire = (...args: string[]) => command("node_modules/.bin/sitewire-signing", ...args)
  const { url, received } = await startReceiver(verifying(isSigned))
  const send = ["send", url, "--secret-env", "SECRET"]
  expect(await command("npx", "--no", "--", "sitewire-signing", ...send)).toMatchObject({ code: 0 })
  expect(received.map((request) => isSigned(request))).toEqual([true])
  expect((await sitewire("check", url, "--secret-env", "SECRET")).stdout).toContain("10 passed")
  const echoed = await sitewire("check", "--", process.execPath, "-e", "process.stdin.pipe(process.stdout)")
  expect(echoed.stdout).toMatch(/\n0 of \d{3} vectors hold\.\n$/)
  expect(echoed.code).toBe(1)
  expect(await sitewire("send")).toMatchObject({ code: 2 })
})

function run(command: string, args: string[]): string {
  return execFileSync(command, args, {
    cwd: partner,
    encoding: "utf8",
    env: { ...process.env, SITEWIRE_SECRET: secret },
  })
}

function compile(options: string[], files: string[]): void {
  const tsc = join(root, "../../node_modules/typescript/bin/tsc")
  const strict = [
    "--strict",
    "--exactOptionalPropertyTypes",
    "--skipLibCheck",
    "--target",
    "es2022",
    "--types",
    "node",
  ]
  run(process.execPath, [tsc, ...strict, ...options, ...files])
}

/** Makes a package of this repository available to the partner's project. */
function link(name: string): void {
  const path = join(partner, "node_modules", name)
  mkdirSync(dirname(path), { recursive: true })
  const places = [root, join(root, "../..")].map((folder) => join(folder, "node_modules", name))
  symlinkSync(places.find(existsSync) ?? "", path)
}

/** All modules that are reached from this file: paths, and names as they are imported. */
function importsOf(path: string, reached = new Set([path])): Set<string> {
  for (const [, name = ""] of readFileSync(path, "utf8").matchAll(/(?:from|import) "([^"]+)"/g)) {
    const next = name.startsWith(".") ? join(dirname(path), name) : name
    if (reached.has(next)) continue
    reached.add(next)
    if (name.startsWith(".")) importsOf(next, reached)
  }
  return reached
}

/** Starts a sample and returns its address. Ended after the test. */
async function start(name: string): Promise<string> {
  const port = await closedPort()
  const child = spawn(process.execPath, [`${name}.js`], {
    cwd: partner,
    env: { ...process.env, PORT: String(port), SITEWIRE_SECRET: secret },
    stdio: ["ignore", "ignore", "inherit"],
  })
  onTestFinished(async () => {
    const exited = once(child, "exit")
    if (child.kill()) await exited
  })
  await waitUntil(`${name} listens`, async () => {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode} before it listened.`)
    return isListening(port)
  })
  return `http://127.0.0.1:${port}`
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1")
  try {
    await once(socket, "connect")
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
