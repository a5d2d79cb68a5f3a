import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import type { ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { type Received, startReceiver } from "@sitewire/cli/receivers"
import { verify } from "@sitewire/signing/sender"
import { signDelivery } from "@sitewire/signing/testing"
import { findProgram, needs } from "@sitewire/testkit/needs"
import { afterAll, beforeAll, expect, test } from "vitest"
import { runCli } from "../../../packages/cli/test/fixtures/runCli.ts"
import { startSystem } from "../../../packages/cli/test/fixtures/startSystem.ts"
import { readPage } from "../src/documents/page.ts"
import { type Example, findExamples, markers, replaceIn, runExample } from "./fixtures/examples.ts"

const root = new URL("../../../", import.meta.url)
const tools = needs(() => [
  findProgram("curl", "Debian: apt-get install curl"),
  findProgram("openssl", "Debian: apt-get install openssl"),
])
const readDocument = async (path: string) => readPage(path, await readFile(new URL(path, root), "utf8"))

let system: Awaited<ReturnType<typeof startSystem>>
let folder: string
/** Accepts a missing signature. */
const acme = { receiver: await startReceiver(respond), secret: "only-for-tests" }

function respond({ headers, body }: Received, response: ServerResponse): void {
  const header = headers["x-sitewire-signature"] as string | undefined
  const accepted = header === undefined || verify({ body, header, secrets: [acme.secret] }).valid
  response.writeHead(accepted ? 204 : 401).end()
}

beforeAll(async () => {
  if (!tools) return
  folder = await mkdtemp(join(tmpdir(), "sitewire-documents-"))
  system = await startSystem((_, response) => void response.writeHead(200).end('{"products":[]}'))
})

afterAll(async () => {
  await system?.stop()
  await acme.receiver.close()
  if (folder) await rm(folder, { recursive: true, force: true })
})

async function succeed(args: string[]) {
  const result = await runCli(args, { env: system.cliEnv })
  expect(result, args.join(" ")).toMatchObject({ code: 0 })
  return result
}

/** Runs an example as the user does, and compares what it prints with the page. */
async function runAs(
  env: Record<string, string>,
  example: Example | undefined,
  { code = 0, replaced = {} }: { code?: number; replaced?: Record<string, string> } = {},
): Promise<string> {
  if (!example) throw new Error("an example is missing")
  const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter)
  const surroundings = { cwd: folder, env: { PATH, HOME: folder, ...env } }
  return runExample(replaceIn(example, replaced), surroundings, code)
}

test("the partners' commands explain a signature that does not match, and check a receiver", async () => {
  const env = { SITEWIRE_SECRET: acme.secret }
  const [verifyIt, check] = findExamples(await readDocument("docs/partners/receive.md"), [markers.extended])
  const { body, headers } = await signDelivery({}, acme.secret)
  await Promise.all([
    writeFile(join(folder, "secret.txt"), `${acme.secret}\n`),
    writeFile(join(folder, "signature.txt"), headers["X-Sitewire-Signature"] ?? ""),
    writeFile(join(folder, "body.json"), body),
  ])
  await runAs(env, verifyIt, { code: 1 })
  const replaced = { "http://localhost:3000": acme.receiver.url, "npx --no -- ": "" }
  await runAs(env, check, { code: 1, replaced })
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
