import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { closedPort, waitUntil } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { runCli } from "../../../cli/test/fixtures/runCli.ts"
import { startSystem } from "../../../cli/test/fixtures/startSystem.ts"
import {
  type Example,
  findExamples,
  isPrinted,
  markers,
  runExample,
  startExample,
} from "../src/documents/examples/runExamples.ts"
import { readPage } from "../src/documents/page.ts"

const root = fileURLToPath(new URL("../../../../", import.meta.url))

let system: Awaited<ReturnType<typeof startSystem>>
let folder: string
let env: NodeJS.ProcessEnv

beforeAll(async () => {
  system = await startSystem((_, response) => void response.writeHead(204).end())
  folder = await mkdtemp(join(tmpdir(), "sitewire-documents-"))
  const PATH = [join(root, "node_modules", ".bin"), process.env.PATH].join(delimiter)
  env = { PATH, HOME: folder, ...system.cliEnv }
}, 120_000)

afterAll(async () => {
  await system?.stop()
  await rm(folder, { recursive: true, force: true })
})

test("the README's first delivery arrives at the README's receiver, with a valid signature", {
  timeout: 120_000,
}, async () => {
  const port = String(await closedPort())
  const [save, create, receive, publish, list, ...more] = await examplesOf("README.md", { 4000: port })
  if (!save || !create || !receive || !publish || !list) throw new Error("the README has lost an example")
  expect(more).toEqual([])

  await succeed(save)
  const created = await succeed(create)
  const secret = /^signing secret: +(\S+)$/m.exec(created)?.[1]
  if (secret === undefined) throw new Error(`no signing secret is printed:\n${created}`)
  const receiver = startExample(replaceIn(receive, { "paste the signing secret here": secret }), {
    cwd: root,
    env,
  })
  onTestFinished(() => void receiver.stop())
  await waitUntil("the receiver to listen", () => accepts(`http://127.0.0.1:${port}/`))

  // The text behind this example is what the receiver prints.
  await succeed({ ...publish, expected: null })
  const expected = publish.expected ?? "the README shows no output of the receiver"
  await waitUntil("the receiver to print what the README shows", () => isPrinted(expected, receiver.output()))
  await waitUntil("the list to show the delivery as delivered", async () =>
    (await succeed(list)).includes("delivered"),
  )
})

test("the partners' call of a trigger gets the status that the page shows", async () => {
  const created = await runCli(
    ["connection", "create", "--site", "bakery.example", "--source", `${system.partner.url}/data`, "--json"],
    { env: system.cliEnv },
  )
  const connection: { id: string; trigger_url?: string; address?: string } = JSON.parse(created.stdout)
  const url = connection.trigger_url ?? connection.address
  if (url === undefined) throw new Error(`no trigger URL is printed:\n${created.stdout}`)
  const examples = await examplesOf("docs/partners.md", { "paste the trigger URL here": url })
  expect(examples.map(({ expected }) => expected)).toEqual(["202\n"])
  for (const example of examples) await succeed(example)
})

test("the publishers' example is accepted", async () => {
  const examples = await examplesOf("docs/publishers.md", {})
  expect(examples).toHaveLength(1)
  for (const example of examples) expect(await succeed(example)).toContain("order-10042")
})

/** The page's examples that need a system, with files in a folder of this test, and these texts replaced. */
async function examplesOf(path: string, replaced: Record<string, string>): Promise<Example[]> {
  const page = readPage(path, await readFile(join(root, path), "utf8"))
  const examples = findExamples(page, [markers.test, markers.testInBackground])
  return examples.map((example) => replaceIn(example, { ".sitewire/": `${folder}/`, ...replaced }))
}

function replaceIn(example: Example, replaced: Record<string, string>): Example {
  const script = Object.entries(replaced).reduce(
    (text, [from, to]) => text.replaceAll(from, to),
    example.script,
  )
  return { ...example, script }
}

async function succeed(example: Example): Promise<string> {
  const { problem, output } = await runExample(example, { cwd: root, env })
  if (problem !== null) throw new Error(problem)
  return output
}

async function accepts(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  )
}
