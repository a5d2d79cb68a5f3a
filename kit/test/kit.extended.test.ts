import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { findProgram, needs } from "@sitewire/testkit/needs"
import { expect, onTestFinished, test } from "vitest"
import {
  correctedName,
  type Delivery,
  deliveries,
  olderSecret,
  secret,
  timedDeliveries,
} from "./deliveries.ts"
import { runScript, runTestScript } from "./runScript.ts"
import { examples, installExample, readExample, startExample } from "./startExample.ts"

/** What docs/partners.md says that a receiver responds to each delivery, by the delivery's name. */
const promised = readTable(join(examples, "../../docs/partners.md"))
const closed = "a closed connection"

// In one file, because the tests of a library and the packing of its archive write into the same folders.
const kit = join(import.meta.dirname, "..")
const libraries = readdirSync(kit).filter((folder) => existsSync(join(kit, folder, "test.sh")))

test.for(libraries)("the tests of kit/%s pass", { timeout: 900_000 }, async (folder, context) => {
  await runTestScript(join(kit, folder), context)
})

const release = join(kit, "../.sitewire/release")
/** The examples install the archives of this release, and without it, if only they are tested, what they pack. */
let isReleased = false

test("the dry run of a release builds each artifact twice with equal bytes, and names each file with another version", {
  timeout: 900_000,
}, async () => {
  const dryRun = (version: string) =>
    runScript(`node kit/release/main.ts --version ${version} --dry-run`, join(kit, ".."))
  const { code, output } = await dryRun("0.1.0")
  expect(code, output).toBe(0)
  isReleased = true
  const check = await runScript("sha256sum --check --quiet SHA256SUMS && wc -l <SHA256SUMS", release)
  expect(check.code, check.output).toBe(0)
  const { subject } = JSON.parse(readFileSync(join(release, "provenance.json"), "utf8"))
  expect(subject).toHaveLength(Number(check.output))
  const other = await dryRun("9.9.9")
  expect(other.code).toBe(1)
  expect(other.output).toContain("problem: kit/java/pom.xml does not state <version>9.9.9</version>")
})

test("docs/partners.md says what a receiver responds to each delivery", () => {
  const sent = [...Object.keys(deliveries), ...Object.keys(timedDeliveries)]
  expect([...promised.keys()].sort()).toEqual(sent.sort())
})

test.for(readdirSync(examples))(
  "%s, installed from the packed archive, responds as promised",
  {
    timeout: 900_000,
  },
  async (name, context) => {
    for (const tool of readExample(name).needs) needs(() => findProgram(tool, "Install it."), context)
    const begunAt = performance.now()
    const app = await installExample(name, isReleased ? release : null)
    const start = async (env: Record<string, string>) => {
      const started = await startExample(name, app, env)
      onTestFinished(started.end)
      return started
    }

    const receiver = await start({
      SITEWIRE_SECRETS: `${olderSecret},${secret}`,
      SITEWIRE_SCHEME: "sitewire",
    })
    expect(receiver.exitCode(), receiver.output()).toBeNull()
    const sites = async () =>
      ((await (await fetch(`${receiver.origin}/sites`)).json()) as { site_url: string; name: string }[])
        .map(({ site_url, name }) => `${site_url} ${name}`)
        .sort()
    const responses = new Map<string, string>()
    for (const [delivery, make] of Object.entries(deliveries)) {
      responses.set(delivery, await post(receiver.origin, make()))
      if (delivery === "genuine") {
        const seconds = ((performance.now() - begunAt) / 1_000).toFixed(1)
        process.stderr.write(`kit: ${name}: ${seconds} s to a first verified delivery\n`)
        expect(await sites()).toEqual(["https://bakery.example/ Bäckerei"])
      }
    }
    expect(await sites()).toEqual([
      `https://bakery.example/ ${correctedName}`,
      "https://older.example/ Bäckerei",
    ])

    const timed = await start({ SITEWIRE_SECRETS: secret, SITEWIRE_SCHEME: "standard-webhooks" })
    for (const [delivery, make] of Object.entries(timedDeliveries))
      responses.set(delivery, await post(timed.origin, make()))
    for (const [delivery, response] of responses)
      expect(promised.get(delivery), `${name}: ${delivery}`).toContain(response)

    for (const empty of ["", ","]) {
      const { exitCode, output } = await start({ SITEWIRE_SECRETS: empty, SITEWIRE_SCHEME: "sitewire" })
      expect(exitCode(), `${name} with the secrets "${empty}": ${output()}`).toBeGreaterThan(0)
    }
  },
)

async function post(origin: string, { body, headers }: Delivery): Promise<string> {
  return await fetch(`${origin}/webhook`, { method: "POST", body: new Uint8Array(body), headers }).then(
    async (response) => {
      await response.arrayBuffer()
      return String(response.status)
    },
    () => closed,
  )
}

/** Reads the rows `| delivery | response |`. A response is a status, or `413, or a closed connection`. */
function readTable(page: string): Map<string, string[]> {
  const [, rows = ""] =
    /^\| delivery \| response \|\n\|[-| ]+\|\n((?:\|.*\n)+)/m.exec(readFileSync(page, "utf8")) ?? []
  const cells = rows
    .trimEnd()
    .split("\n")
    .map((row) => row.split("|").map((cell) => cell.trim()))
  return new Map(cells.map(([, delivery = "", response = ""]) => [delivery, response.split(", or ")]))
}
