import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import type { ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { type Received, startReceiver } from "@sitewire/cli/receivers"
import type { CreatedApiKey } from "@sitewire/contracts"
import { verify } from "@sitewire/signing/sender"
import { waitUntil } from "@sitewire/testkit"
import { findProgram, findPython, needs } from "@sitewire/testkit/needs"
import { afterAll, beforeAll, expect, test } from "vitest"
import { runCli } from "../../../cli/test/fixtures/runCli.ts"
import { startSystem } from "../../../cli/test/fixtures/startSystem.ts"
import { type Page, readPage } from "../src/documents/page.ts"
import { installMs, installPythonTools } from "./api/fixtures/installTools.ts"
import { type Example, findExamples, markers, replaceIn, runExample } from "./fixtures/examples.ts"

const root = new URL("../../../../", import.meta.url)
const tools = needs(() => [
  findPython(),
  findProgram("curl", "Debian: apt-get install curl"),
  findProgram("openssl", "Debian: apt-get install openssl"),
])
const readDocument = async (path: string) => readPage(path, await readFile(new URL(path, root), "utf8"))

let system: Awaited<ReturnType<typeof startSystem>>
let folder: string
let python: string
let sections: Map<string, Page>
const acme = { receiver: await startReceiver(respond), secret: "", mode: "correct" as Mode }

/** How acme's receiver verifies. `newline`: with the newline at the end of its secret's file. */
type Mode = "correct" | "newline" | "ignores missing signatures"

function respond({ headers, body }: Received, response: ServerResponse): void {
  const header = headers["x-sitewire-signature"] as string | undefined
  const secret = acme.mode === "newline" ? `${acme.secret}\n` : acme.secret
  const accepted =
    header === undefined
      ? acme.mode === "ignores missing signatures"
      : verify({ body, header, secrets: [secret] }).valid
  response.writeHead(accepted ? 204 : 401).end(accepted ? "" : "invalid signature")
}

beforeAll(async () => {
  if (!tools) return
  folder = await mkdtemp(join(tmpdir(), "sitewire-walkthroughs-"))
  python = await installPythonTools()
  // Retries as far apart as in production, so that a delivery waits for its retry while its commands run.
  system = await startSystem(
    (_, response) => void response.writeHead(200).end('{"products":[]}'),
    {},
    { retryDelaysMs: [60_000, 300_000] },
  )
  const page = await readDocument("docs/walkthroughs.md")
  const parts = page.text.split(/^(?=## )/m).slice(1)
  sections = new Map(parts.map((text) => [/^## (.*?):/.exec(text)?.[1] ?? "", readPage(page.path, text)]))
  const create = ["channel", "create", "--id", "acme", "--address", `${acme.receiver.url}/sitewire`]
  acme.secret = JSON.parse((await succeed([...create, "--json"])).stdout).signing_secret
  await succeed(["channel", "create", "--id", "nova", "--address", `${system.partner.url}/nova`])
}, installMs)

afterAll(async () => {
  await system?.stop()
  await acme.receiver.close()
  if (folder) await rm(folder, { recursive: true, force: true })
})

async function succeed(args: string[], input = "") {
  const result = await runCli(args, { env: system.cliEnv, input })
  expect(result, args.join(" ")).toMatchObject({ code: 0 })
  return result
}

async function keyWith(scope: string): Promise<string> {
  const { stdout } = await succeed(["key", "create", "--name", "user", "--scope", scope, "--json"])
  const created: CreatedApiKey = JSON.parse(stdout)
  return created.key
}

/** The section's commands, each of which must be one line. */
function examplesOf(user: string): Example[] {
  const section = sections.get(user)
  if (!section) throw new Error(`docs/walkthroughs.md has no section "${user}: …"`)
  const examples = findExamples(section, [markers.extended])
  expect(examples).toHaveLength(3)
  for (const { script } of examples) expect(script.trim().split("\n")).toHaveLength(1)
  return examples
}

/** Runs an example as the user does, and compares what it prints with the page. */
async function runAs(
  env: Record<string, string>,
  example: Example | undefined,
  { code = 0, replaced = {} }: { code?: number; replaced?: Record<string, string> } = {},
): Promise<string> {
  if (!example) throw new Error("an example is missing")
  const PATH = [dirname(python), dirname(process.execPath), process.env.PATH].join(delimiter)
  const surroundings = { cwd: folder, env: { PATH, HOME: folder, ...env } }
  return runExample(replaceIn(example, replaced), surroundings, code)
}

const sitePaid = (n: number) =>
  JSON.stringify({
    id: `order-${n}`,
    channel: "acme",
    reference: `user-${n}`,
    site_url: `https://shop-${n}.example`,
    console_url: `https://console.example/${n}`,
    name: "Shop",
    email: `owner@shop-${n}.example`,
    created_at: "2026-03-01T12:00:00+01:00",
  })

const publish = (ids: number[]) =>
  succeed(["event", "publish", "--file", "-"], ids.map((id) => sitePaid(id)).join("\n"))

test("an operator finds out why a partner has received nothing since noon", async () => {
  await publish([1])
  await waitUntil("the first delivery", () => acme.receiver.received.length === 1)
  acme.mode = "newline"
  await publish(Array.from({ length: 60 }, (_, n) => n + 2))
  const env = { SITEWIRE_API: system.cliEnv.SITEWIRE_API, SITEWIRE_API_KEY: await keyWith("read") }
  await waitUntil("the circuit breaker to open", async () => {
    const { stdout } = await runCli(["channel", "health", "acme", "--json"], { env })
    return JSON.parse(stdout).dispatchers.some(({ breaker }: { breaker: string }) => breaker === "open")
  })
  await publish([62])
  await waitUntil("a deferred delivery", async () => {
    const { stdout } = await runCli(["delivery", "list", "--channel", "acme", "--limit", "1", "--json"], {
      env,
    })
    return JSON.parse(stdout).data[0]?.deferred_at !== null
  })
  const [health, list, show] = examplesOf("An operator")
  const [, failed = ""] = /delivery show (\S+)/.exec(await runAs(env, health)) ?? []
  await runAs(env, list)
  await runAs(env, show, { replaced: { DELIVERY: failed } })
})

test("a partner's developer verifies a delivery and checks the receiver", async () => {
  const env = { SITEWIRE_SECRET: acme.secret }
  const replaced = { "https://acme.example": acme.receiver.url }
  const [verifyIt, check, again] = examplesOf("A partner's developer")
  const rejected = acme.receiver.received.at(-1)
  await Promise.all([
    writeFile(join(folder, "secret.txt"), `${acme.secret}\n`),
    writeFile(join(folder, "signature.txt"), String(rejected?.headers["x-sitewire-signature"])),
    writeFile(join(folder, "body.json"), rejected?.body ?? ""),
  ])
  await runAs(env, verifyIt, { code: 1 })
  acme.mode = "ignores missing signatures"
  await runAs(env, check, { code: 1, replaced })
  acme.mode = "correct"
  await runAs(env, again, { replaced })
})

test("a publisher in Python sees a mistake explained", async () => {
  const blocks = (await readDocument("docs/publishers.md")).codeBlocks
  const [code, ...more] = blocks.filter(({ text }) => text.includes("from kafka import"))
  expect(more).toEqual([])
  const order = sections.get("A publisher in Python")?.codeBlocks.find(({ language }) => language === "json")
  if (!code || !order) throw new Error("an example is missing")
  await writeFile(join(folder, "publish.py"), code.text)
  await writeFile(join(folder, "order.json"), order.text)

  const { KAFKA_BROKERS, TOPIC_PREFIX, SITEWIRE_API } = system.cliEnv
  const env = { KAFKA_BROKERS, TOPIC_PREFIX, SITEWIRE_API, SITEWIRE_API_KEY: await keyWith("publisher") }
  const [wrong, list, corrected] = examplesOf("A publisher in Python")
  await runAs(env, wrong)
  await waitUntil("the rejection", async () => {
    const { data } = JSON.parse((await succeed(["event", "list", "--json"])).stdout)
    return data.length === 1
  })
  await runAs(env, list)
  expect(order.text).toContain('T12:00:00"')
  await writeFile(join(folder, "order.json"), order.text.replace('T12:00:00"', 'T12:00:00+01:00"'))
  await runAs(env, corrected)
  await waitUntil("the delivery", () =>
    system.partner.received.some(({ path, body }) => path === "/nova" && body.includes("user-4711")),
  )
})

test("a site owner's console shows a connection and replaces its token", async () => {
  for (const id of ["bakery", "other"]) {
    const source = `${system.partner.url}/${id}`
    await succeed(["connection", "create", "--id", id, "--site", `${id}.example`, "--source", source])
  }
  const { stdout } = await succeed(["connection", "show", "bakery", "--trigger-url", "--json"])
  const call = async (url: string) => (await fetch(url, { method: "POST" })).status
  const { trigger_url: first } = JSON.parse(stdout)
  expect(await call(first)).toBe(202)
  await waitUntil("the sync", async () => {
    const shown = await succeed(["connection", "show", "bakery", "--json"])
    return JSON.parse(shown.stdout).last_outcome === "changed"
  })

  const { SITEWIRE_API } = system.cliEnv
  const env = { SITEWIRE_API, SITEWIRE_API_KEY: await keyWith("site:bakery.example") }
  const [list, show, replace] = examplesOf("A site owner's console")
  expect(await runAs(env, list)).not.toContain("other.example")
  expect(await runAs(env, show)).toContain(first)
  const { trigger_url: second } = JSON.parse(await runAs(env, replace))
  expect([await call(first), await call(second)]).toEqual([404, 202])
})

test("the partners' call of a trigger and the other examples with curl and openssl succeed", async () => {
  const args = [
    "connection",
    "create",
    "--site",
    "gym.example",
    "--source",
    `${system.partner.url}/gym`,
    "--json",
  ]
  const { trigger_url } = JSON.parse((await succeed(args)).stdout)
  const replaced = { "paste the trigger URL here": trigger_url }
  for (const path of ["docs/partners.md", "docs/operators/configure.md"]) {
    const examples = findExamples(await readDocument(path), [markers.extended])
    expect(examples.length).toBeGreaterThan(0)
    for (const example of examples) await runAs({}, example, { replaced })
  }
})
