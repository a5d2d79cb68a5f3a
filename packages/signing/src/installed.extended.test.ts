import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { sign } from "./index.ts"

const root = join(import.meta.dirname, "..")
const partner = mkdtempSync(join(tmpdir(), "sitewire-partner-"))
const secret = "9f2c7b41d05e4a6e8c13ab77f0d92e54"
const event = '{"event":"site.ready","site_url":"https://bakery.example/"}'

// A partner's project: the package installed from its archive, and the README's examples in files of their own.
beforeAll(() => {
  const packaged = join(partner, "packaged")
  mkdirSync(packaged)
  run(process.execPath, [join(root, "package.ts"), packaged])
  writeFileSync(join(partner, "package.json"), '{"private":true,"type":"module"}')
  const archive = run("npm", ["pack", packaged, "--silent"]).trim()
  run("npm", ["install", `./${archive}`, "--offline", "--no-audit", "--no-fund"])
  symlinkSync(
    dirname(createRequire(import.meta.url).resolve("express/package.json")),
    join(partner, "node_modules/express"),
  )

  const readme = readFileSync(join(root, "README.md"), "utf8")
  for (const [, name, code = ""] of readme.matchAll(/^```js (\w+)\n(.*?)^```/gms)) {
    writeFileSync(join(partner, `${name}.js`), code)
  }
  writeFileSync(join(partner, "receiver.py"), /^```python\n(.*?)^```/ms.exec(readme)?.[1] ?? "")
}, 60_000)

afterAll(() => rmSync(partner, { recursive: true }))

test("what a partner installs is plain JavaScript with types, without tests and without dependencies", () => {
  const installed = join(partner, "node_modules/@sitewire/signing")
  const sources = readdirSync(join(installed, "src"))
  expect(sources).toContain("index.js")
  expect(sources.filter((file) => !/^\w+(\.d\.ts|\.js)$/.test(file))).toEqual([])
  expect(JSON.parse(readFileSync(join(installed, "package.json"), "utf8"))).not.toHaveProperty("dependencies")
})

test.each(["express", "http"])("the README's %s receiver takes a signed event and no other", async (name) => {
  const url = await start(`${name}.js`)
  expect((await post(url, sign(event, secret))).status).toBe(204)
  expect((await post(url, sign(`${event}\n`, secret))).status).toBe(401)
  expect((await post(url, "")).status).toBe(401)
})

test("the README's handler of a Request takes a signed event and no other", () => {
  const script = `
    import { POST } from "./fetch.js"
    for (const header of process.argv.slice(1)) {
      const headers = header === "" ? {} : { "X-Sitewire-Signature": header }
      const response = await POST(new Request("http://partner.example/", { method: "POST", headers, body: ${JSON.stringify(event)} }))
      console.log(response.status)
    }`
  const headers = [sign(event, secret), sign("other", secret), ""]
  const printed = run(process.execPath, ["--input-type=module", "-e", script, ...headers])
  expect(printed.split("\n").filter((line) => /^\d+$/.test(line))).toEqual(["204", "401", "401"])
})

test("the README's Node function agrees with every vector", () => {
  const script = `
    import vectors from "@sitewire/signing/vectors.json" with { type: "json" }
    import { verify } from "./node.js"
    const wrong = vectors.filter((v) => verify(Buffer.from(v.body, "base64"), v.header, v.secret) !== v.valid)
    console.log(vectors.length > 30, wrong.map((v) => v.name))`
  expect(run(process.execPath, ["--input-type=module", "-e", script])).toBe("true []\n")
})

test("the README's Python function agrees with every vector", () => {
  const script = `
import base64, json, receiver
vectors = json.load(open("packaged/vectors.json", encoding="utf-8"))
wrong = [v["name"] for v in vectors
    if receiver.verify(base64.b64decode(v["body"]), v["header"], v["secret"]) != v["valid"]]
print(len(vectors) > 30, wrong)`
  expect(run("python3", ["-c", script])).toBe("True []\n")
})

function run(command: string, args: string[]): string {
  return execFileSync(command, args, {
    cwd: partner,
    encoding: "utf8",
    env: { ...process.env, SITEWIRE_SECRET: secret },
  })
}

/** Starts a receiver on a free port and returns its address. Ended after the test. */
async function start(script: string): Promise<string> {
  const child = spawn(process.execPath, [script], {
    cwd: partner,
    env: { ...process.env, PORT: "0", SITEWIRE_SECRET: secret },
    stdio: ["ignore", "pipe", "inherit"],
  })
  onTestFinished(async () => {
    const exited = once(child, "exit")
    if (child.kill()) await exited
  })
  const lines = createInterface(child.stdout)
  const [line] = await Promise.race([
    once(lines, "line"),
    once(child, "exit").then(([code]) => {
      throw new Error(`${script} ended with ${code} before it listened.`)
    }),
  ])
  return `http://127.0.0.1:${String(line).split(" ")[1]}/sitewire`
}

function post(url: string, signature: string): Promise<Response> {
  const headers = { "Content-Type": "application/json", "X-Sitewire-Signature": signature }
  return fetch(url, { method: "POST", headers, body: event })
}
