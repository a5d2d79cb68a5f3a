import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { findProgram, needs } from "@sitewire/testkit/needs"
import { afterAll, expect, onTestFinished, test } from "vitest"
import { artifacts } from "../release/artifacts.ts"
import { buildArtifact } from "../release/buildArtifact.ts"
import {
  correctedName,
  type Delivery,
  deliveries,
  genuineDelivery,
  olderSecret,
  secret,
  timedDeliveries,
} from "./deliveries.ts"
import { followReadme } from "./followReadme.ts"
import { readPromised } from "./promised.ts"
import { runTestScript } from "./runScript.ts"
import { examples, installExample, readExample, startExample, startReceiver } from "./startExample.ts"

const kit = join(import.meta.dirname, "..")
const responseLimitMs = 10_000
const closed = "a closed connection"
/** Installations and builds take minutes on a busy machine. */
const limits = { timeout: 900_000 }

/**
 * Tests a language's library, its archive, and its examples, which install that archive. All in one file, because they write into the
 * same folders.
 */
export function testLanguage(language: string): void {
  const folder = language === "node" ? "packages/signing" : `kit/${language}`
  const artifact = artifacts.find((each) => each.folder === folder)
  if (!artifact) throw new Error(`there is no artifact of ${folder}`)
  const archives = mkdtempSync(join(tmpdir(), "sitewire-archives-"))
  afterAll(() => rmSync(archives, { recursive: true }))

  // The tests of packages/signing are among those of all packages.
  if (language !== "node")
    test(`the tests of ${folder} pass`, limits, (context) => runTestScript(join(kit, language), context))

  /** Built by the first test that needs it. */
  let building: ReturnType<typeof buildArtifact> | undefined
  const build = () => {
    building ??= buildArtifact(artifact, archives)
    return building
  }
  const hasTools = (tools: readonly string[], context: Parameters<typeof needs>[1]) => {
    for (const tool of tools) needs(() => findProgram(tool, "Install it."), context)
  }

  test(`two builds of the ${artifact.name} have equal bytes`, limits, async (context) => {
    hasTools(artifact.needs, context)
    expect(await build()).not.toEqual([])
  })

  const named = readdirSync(examples).filter((name) => name.startsWith(`${language}-`))
  test(
    `the steps of ${folder}/README.md lead from an empty folder to a receiver`,
    limits,
    async (context) => {
      hasTools([...artifact.needs, ...named.flatMap((name) => readExample(name).needs)], context)
      await build()
      const followed = await followReadme(language, folder, archives)
      const receiver = await startReceiver(folder, followed)
      onTestFinished(async () => {
        await receiver.end()
        rmSync(followed.folder, { recursive: true })
      })
      expect(receiver.exitCode(), receiver.output()).toBeNull()
      expect(await post(followed.origin, genuineDelivery("only-for-tests"))).toBe("204")
      expect(await post(followed.origin, genuineDelivery("another"))).toBe("401")
    },
  )

  test.for(named)(
    "%s, installed from the packed archive, responds as promised",
    limits,
    async (name, context) => {
      hasTools([...artifact.needs, ...readExample(name).needs], context)
      await build()
      await testExample(name, archives)
    },
  )
}

async function testExample(name: string, archives: string): Promise<void> {
  const begunAt = performance.now()
  const app = await installExample(name, archives)
  onTestFinished(() => rmSync(app, { recursive: true }))
  const start = async (env: Record<string, string>) => {
    const started = await startExample(name, app, env)
    onTestFinished(started.end)
    return started
  }

  const receiver = await start({ SITEWIRE_SECRETS: `${olderSecret},${secret}` })
  expect(receiver.exitCode(), receiver.output()).toBeNull()
  const sites = async () =>
    ((await (await fetch(`${receiver.origin}/sites`)).json()) as { site_url: string; name: string }[])
      .map(({ site_url, name }) => `${site_url} ${name}`)
      .sort()
  const responses = new Map<string, string>()
  for (const [delivery, make] of Object.entries(deliveries)) {
    responses.set(delivery, await post(receiver.origin, make()))
    if (delivery === "genuine") {
      await acceptsBesideSlowClients(receiver.origin, make())
      const seconds = ((performance.now() - begunAt) / 1_000).toFixed(1)
      process.stderr.write(`kit: ${name}: ${seconds} s to a first verified delivery\n`)
      expect(await sites()).toEqual(["https://bakery.example/ Bäckerei"])
    }
  }
  expect(await sites()).toEqual([
    `https://bakery.example/ ${correctedName}`,
    "https://older.example/ Bäckerei",
  ])

  if (name.startsWith("node-")) {
    const timed = await start({ SITEWIRE_SECRETS: secret, SITEWIRE_SCHEME: "standard-webhooks" })
    for (const [delivery, make] of Object.entries(timedDeliveries))
      responses.set(delivery, await post(timed.origin, make()))
  }
  const promised = readPromised()
  for (const [delivery, response] of responses)
    expect(promised.get(delivery), `${name}: ${delivery}`).toContain(response)

  for (const empty of ["", ","]) {
    const { exitCode, output } = await start({ SITEWIRE_SECRETS: empty })
    expect(exitCode(), `${name} with the secrets "${empty}": ${output()}`).toBeGreaterThan(0)
  }
}

/** A client that sends slowly, or nothing more, must not keep a delivery from being accepted in time. */
async function acceptsBesideSlowClients(origin: string, delivery: Delivery): Promise<void> {
  const { hostname, port } = new URL(origin)
  const slow = await Promise.all(
    Array.from({ length: 16 }, async (_, index) => {
      const socket = connect(Number(port), hostname).on("error", () => {})
      await once(socket, "connect")
      if (index % 2 === 0)
        socket.write("POST /webhook HTTP/1.1\r\nHost: receiver.example\r\nContent-Length: 9\r\n")
      return socket
    }),
  )
  try {
    const late = setTimeout(responseLimitMs, "no response beside slow clients", { ref: false })
    expect(await Promise.race([post(origin, delivery), late])).toBe("204")
  } finally {
    for (const socket of slow) socket.destroy()
  }
}

/** Sends the delivery with the challenge of a new address, which a receiver returns if it accepts the delivery. */
async function post(origin: string, delivery: Delivery): Promise<string> {
  const challenge = randomUUID()
  const headers = { ...delivery.headers, "X-Sitewire-Challenge": challenge }
  const body = new Uint8Array(delivery.body)
  const response = await fetch(`${origin}/webhook`, { method: "POST", body, headers }).catch(() => null)
  if (response === null) return closed
  await response.arrayBuffer()
  expect(response.headers.get("x-sitewire-challenge")).toBe(response.ok ? challenge : null)
  return String(response.status)
}
