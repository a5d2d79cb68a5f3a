import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { closedPort, runScript, startTestInstallation, waitUntil } from "@sitewire/testkit"
import type { Installation } from "@sitewire/testkit/installation"
import { afterAll, beforeAll, expect, test } from "vitest"
import { readPage } from "../src/documents/page.ts"
import { listFiles } from "../src/listFiles.ts"
import { findExamples, isPrinted, markers, replaceIn, runExample, startExample } from "./fixtures/examples.ts"

const rootUrl = new URL("../../../", import.meta.url)
const root = fileURLToPath(rootUrl)

let installation: Installation
let folder: string
let surroundings: Parameters<typeof runExample>[1]

beforeAll(async () => {
  installation = await startTestInstallation({ env: { LOG_LEVEL: "warn" } })
  const [{ addresses }, key] = await Promise.all([
    installation.start("console"),
    runScript(
      "packages/console/src/tools/createKey.ts",
      ["--name", "readme", "--scopes", "operate,personal-data,admin"],
      {
        DATABASE_URL: installation.databaseUrl,
      },
    ),
    installation.start("dispatcher"),
  ])
  folder = await mkdtemp(join(tmpdir(), "sitewire-readme-"))
  surroundings = {
    cwd: root,
    env: {
      PATH: [join(root, "node_modules", ".bin"), process.env.PATH].join(delimiter),
      HOME: folder,
      SITEWIRE_API: addresses.console ?? "",
      SITEWIRE_API_KEY: key.trim(),
      KAFKA_BROKERS: installation.brokers.join(),
      TOPIC_PREFIX: installation.topicPrefix,
    },
  }
})

afterAll(async () => {
  await installation?.stop()
  if (folder) await rm(folder, { recursive: true, force: true })
})

test("the README's first delivery arrives at the README's receiver, with a valid signature", async () => {
  const port = String(await closedPort())
  const examples = await examplesOf("README.md", [markers.test, markers.testInBackground])
  const [save, create, receive, publish, list, ...more] = examples.map((example) =>
    replaceIn(example, { ".sitewire/": `${folder}/`, 4000: port }),
  )
  if (!save || !create || !receive || !publish || !list) throw new Error("the README has lost an example")
  expect(more).toEqual([])

  await runExample(save, surroundings)
  const created = await runExample(create, surroundings)
  const secret = /^signing secret: +(\S+)$/m.exec(created)?.[1]
  if (secret === undefined) throw new Error(`no signing secret is printed:\n${created}`)
  const receiver = startExample(replaceIn(receive, { "paste the signing secret here": secret }), surroundings)
  await waitUntil("the receiver to listen", () => fetch(`http://127.0.0.1:${port}/`))

  // The text behind this example is what the receiver prints.
  await runExample({ ...publish, expected: null }, surroundings)
  const expected = publish.expected ?? "the README shows no output of the receiver"
  await waitUntil("the receiver to print what the README shows", () => isPrinted(expected, receiver.output()))
  await waitUntil("the list to show the delivery as delivered", async () =>
    (await runExample(list, surroundings)).includes("delivered"),
  )
})

test("each other document's examples that need only Node and bash succeed", async () => {
  const pages = listFiles(rootUrl).filter((path) => path.endsWith(".md") && path !== "README.md")
  const examples = (await Promise.all(pages.map((path) => examplesOf(path, [markers.test])))).flat()
  expect(examples.length).toBeGreaterThan(3)
  await Promise.all(
    examples.map((example) => runExample(replaceIn(example, { ".sitewire/": `${folder}/` }), surroundings)),
  )
})

test("no marker is misspelt, because its example would never run", async () => {
  const known: readonly string[] = Object.values(markers)
  const paths = listFiles(rootUrl).filter((path) => path.endsWith(".md"))
  const pages = await Promise.all(paths.map(readDocument))
  const found = pages.flatMap(({ codeBlocks }) => codeBlocks.flatMap(({ marker }) => marker ?? []))
  expect(found.filter((marker) => marker.startsWith("tested") && !known.includes(marker))).toEqual([])
})

async function readDocument(path: string) {
  return readPage(path, await readFile(join(root, path), "utf8"))
}

async function examplesOf(path: string, wanted: readonly string[]) {
  return findExamples(await readDocument(path), wanted)
}
