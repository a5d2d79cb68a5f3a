import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { findUv, needs } from "@sitewire/testkit/needs"
import { afterAll, beforeAll, expect, test } from "vitest"
import { compilePatterns, findPatterns } from "./fixtures/compilePatterns.ts"
import { installMs, installNodeTools, installPythonTools, run, toolsFolder } from "./fixtures/installTools.ts"
import { startFilledConsole } from "./fixtures/startFilledConsole.ts"

const tsc = fileURLToPath(new URL("../../../../node_modules/typescript/bin/tsc", import.meta.url))

let console: Awaited<ReturnType<typeof startFilledConsole>>
let nodeTools: string
let python: string
let folder: string
let document: string

const python3 = needs(findUv)

beforeAll(async () => {
  if (!python3) return
  ;[console, nodeTools, python] = await Promise.all([
    startFilledConsole(),
    installNodeTools(),
    installPythonTools(),
  ])
  folder = await mkdtemp(join(tmpdir(), "sitewire-openapi-"))
  document = join(folder, "openapi.json")
  await writeFile(document, await (await fetch(`${console.origin}/openapi.json`)).text())
}, installMs)

afterAll(async () => {
  await console?.[Symbol.asyncDispose]()
  if (folder) await rm(folder, { recursive: true, force: true })
})

test("redocly finds neither errors nor warnings, and all examples fit their schemas", async () => {
  const cli = join(nodeTools, "node_modules/@redocly/cli/bin/cli.js")
  const args = ["lint", "--config", join(toolsFolder, "redocly.yaml"), "--format=json", document]
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" }
  const { stdout } = await run(process.execPath, [cli, ...args], { env }).catch((error) => error)
  expect(JSON.parse(stdout).problems).toEqual([])
})

test("all patterns compile in JavaScript, Python and Go", async (context) => {
  compilePatterns(context, python, findPatterns(JSON.parse(await readFile(document, "utf8"))))
})

test("the client of openapi-typescript compiles, rejects a wrong body, and makes requests", async () => {
  const client = join(folder, "typescript")
  const modules = join(nodeTools, "node_modules")
  await mkdir(client)
  await symlink(modules, join(client, "node_modules"))
  await writeFile(join(client, "package.json"), '{ "type": "module" }')
  const generator = join(modules, "openapi-typescript/bin/cli.js")
  await run(process.execPath, [generator, document, "-o", join(client, "schema.d.ts")])
  const main = join(client, "main.ts")
  await writeFile(main, useTypeScriptClient(console.origin, console.key))
  const options = ["--strict", "--noEmit", "--skipLibCheck", "--types", "", "--allowImportingTsExtensions"]
  const target = ["--target", "es2024", "--lib", "es2024,dom", "--module", "nodenext"]
  const compiled = await run(process.execPath, [tsc, ...options, ...target, main], {
    cwd: client,
  }).catch((error) => error)
  expect(compiled.stdout).toBe("")
  const { stdout } = await run(process.execPath, [main])
  expect(stdout).toBe("https://partner.example/typescript 0 not-found\n")
})

const useTypeScriptClient = (baseUrl: string, key: string) => `import createClient from "openapi-fetch"
import type { paths } from "./schema.d.ts"

const headers = { authorization: "Bearer ${key}" }
const client = createClient<paths>({ baseUrl: "${baseUrl}", headers })
const address = "https://partner.example/typescript"
const created = await client.POST("/v1/channels", { body: { id: "typescript", address } })
const read = await client.GET("/v1/channels/{id}", { params: { path: { id: created.data?.id ?? "" } } })
const body = { email: "owner@bakery.example", reason: "ticket 4711", dry_run: true }
const { data } = await client.POST("/v1/jobs/erasure", { body })
const matching = data && "matching" in data ? data.matching : undefined
const missing = await client.GET("/v1/channels/{id}", { params: { path: { id: "nobody" } } })
console.log(read.data?.address, matching, missing.error?.code)
// @ts-expect-error: the address is missing.
client.POST("/v1/channels", { body: { id: "incomplete" } }).catch(() => undefined)
`

test("the client of openapi-python-client is generated without warnings, compiles, and makes requests", async () => {
  const output = join(folder, "client")
  const args = [
    "generate",
    "--path",
    document,
    "--output-path",
    output,
    "--meta",
    "none",
    "--fail-on-warning",
  ]
  const env = { ...process.env, PATH: `${dirname(python)}:${process.env.PATH}` }
  await run(python, ["-m", "openapi_python_client", ...args], { env })
  const use = [join(toolsFolder, "use_client.py"), folder, console.origin, console.key]
  const { stdout } = await run(python, use, { env: { ...env, PYTHONDONTWRITEBYTECODE: "1" } })
  expect(stdout).toBe("ok\n")
})

// Last, because it creates channels and connections with ids of its choice.
const schemathesis =
  "schemathesis finds nothing that fails, is undocumented, or is rejected for an unnamed reason"
test(schemathesis, { timeout: 900_000 }, async () => {
  const config = join(toolsFolder, "schemathesis.toml")
  const start = "from schemathesis.cli import schemathesis; schemathesis()"
  const env = {
    ...process.env,
    SITEWIRE_API: console.origin,
    SITEWIRE_API_KEY: console.key,
    SCHEMATHESIS_HOOKS: "hooks",
    PYTHONPATH: toolsFolder,
    PYTHONDONTWRITEBYTECODE: "1",
    NO_COLOR: "1",
  }
  const args = ["-c", start, "--config-file", config, "run", document, "--url", console.origin]
  const maxBuffer = 64 * 1024 * 1024
  const { code = 0, stdout } = await run(python, args, { cwd: folder, maxBuffer, env }).catch(
    (error) => error,
  )
  const report = String(stdout)
  for (const phase of ["Examples", "Coverage", "Fuzzing", "Stateful"]) expect(report).toContain(`✅ ${phase}`)
  expect(code, report).toBe(0)
  const [, tested] = /Tested: (\d+)/.exec(report) ?? []
  const { paths } = JSON.parse(await readFile(document, "utf8"))
  expect(Number(tested)).toBe(
    Object.values(paths).flatMap((methods) => Object.keys(methods as object)).length,
  )
})
