import { createHmac, randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { type Receiver, startReceiver } from "@sitewire/cli/receivers"
import { topicNames } from "@sitewire/contracts"
import { connectKafka, startProducer } from "@sitewire/kafka"
import { waitUntil } from "@sitewire/testkit"
import { needs } from "@sitewire/testkit/needs"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import budgets from "../../../budgets.json" with { type: "json" }
import { isDockerAvailable } from "../../../development/testkit/src/backing/docker.ts"
import { silentLog } from "../../../development/testkit/src/installation/silentLog.ts"
import { buildImages, imageOf, processNames } from "./buildImages.ts"
import { run } from "./obtainImage.ts"
import { startContainers } from "./startContainers.ts"

const hasDocker = await isDockerAvailable()
if (!hasDocker && process.env.SITEWIRE_REQUIRE_DOCKER === "1") throw new Error("no Docker daemon responds")
needs(() => {
  if (!hasDocker) throw new Error("no Docker daemon responds")
})

/** Building five images, or restarting six containers under load, takes minutes: ten, while other tests use both cores. */
const longMs = 1_800_000

let system: Awaited<ReturnType<typeof startContainers>>
let receiver: Receiver
let source: Receiver
let triggerUrl: string
let secret: string
let publish: (id: string) => Promise<unknown>
let close = async () => {}

beforeAll(async () => {
  if (!hasDocker) return
  // The container that removes what a killed run leaves behind is one more image to pull.
  vi.stubEnv("TESTCONTAINERS_RYUK_DISABLED", process.env.TESTCONTAINERS_RYUK_DISABLED ?? "true")
  await buildImages()
  system = await startContainers()
  receiver = await startReceiver(undefined, { host: "0.0.0.0" })
  source = await startReceiver((_, response) => void response.end("[]"), { host: "0.0.0.0" })
  const kafka = connectKafka({ brokers: [system.broker], clientId: "containers-test", log: silentLog })
  const producer = await startProducer({ kafka })
  close = () => producer.close(2_000).then(() => {})
  const topic = topicNames({ prefix: "", retryDelaysMs: [] }).sitePaid
  publish = (id) => producer.publish([{ topic, key: id, value: sitePaid(id) }])
  const channel = await post("/v1/channels", { id: "acme", address: `${reachable(receiver)}/hook` })
  secret = channel.signing_secret
  triggerUrl = await createConnection("/data")
}, longMs)

afterAll(async () => {
  await close()
  await Promise.all([receiver?.close(), source?.close()])
  await system?.remove()
  if (hasDocker) await run("docker", ["rmi", "--force", ...processNames.map(imageOf)]).catch(() => {})
  vi.unstubAllEnvs()
})

async function post(path: string, body: object) {
  const headers = { authorization: `Bearer ${system.key}`, "content-type": "application/json" }
  const response = await fetch(`${system.api}${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
  return JSON.parse(text)
}

const reachable = ({ url }: Receiver) => url.replace("127.0.0.1", system.gateway)

/** Returns the trigger URL of a connection to this path of the source. */
async function createConnection(path: string): Promise<string> {
  const body = { site: "shop.example", source: `${reachable(source)}${path}` }
  return (await post("/v1/connections", body)).trigger_url
}

const arrived = (id: string) => () =>
  receiver.received.find(({ body }) => JSON.parse(`${body}`).reference === id)

/**
 * Calls the trigger URL until the gateway accepts a call, and returns when that call began: the sync may start
 * before its 202 arrives.
 */
const trigger = (url: string) =>
  waitUntil("a 202 of the gateway", async () => {
    const calledAt = Date.now()
    return (await fetch(url, { method: "POST" })).status === 202 && calledAt
  })

const synced = (ofPath: string, since: number) => () =>
  source.received.some(({ path, at }) => path === ofPath && at >= since)

test.each(processNames)(
  "the image of %s is within its budget, and has only files that it needs",
  async (name) => {
    const { stdout } = await run("docker", ["image", "inspect", "--format", "{{.Size}}", imageOf(name)])
    console.log(`${name}: ${Math.ceil(Number(stdout) / 1e6)} MB`)
    expect(Number(stdout)).toBeLessThan(budgets.imageMegabytes[name] * 1e6)
    const list = 'id=$(docker create "$0"); docker export "$id" | tar -t; docker rm "$id" >&2'
    const files = (await run("sh", ["-ec", list, imageOf(name)], { maxBuffer: 64 << 20 })).stdout.split("\n")
    const unneeded = /^app\/.*(?:\.test\.ts|\.map|sqlserver|mysql|node_modules.*\.ts|\/vite\/|playwright).*$/
    expect(files.filter((file) => unneeded.test(file))).toEqual([])
    if (name !== "console") return
    expect(files).toContain("app/packages/console/src/api/reference/llms.txt")
    // The packages in the page, with their licences, and no code of theirs.
    const page = files.filter((file) => file.startsWith("app/packages/web/node_modules/react-dom/"))
    expect(page).toContain("app/packages/web/node_modules/react-dom/LICENSE")
    expect(page.filter((file) => /\.[cm]?[jt]sx?$/.test(file))).toEqual([])
  },
)

test("a site.paid is delivered with a valid signature", async () => {
  const id = randomUUID()
  await publish(id)
  const { headers, body } = await waitUntil("the delivery", arrived(id))
  const expected = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`
  expect(headers["x-sitewire-signature"]).toBe(expected)
})

test("a trigger starts a sync", async () => {
  const calledAt = await trigger(triggerUrl)
  await waitUntil("the sync", synced("/data", calledAt))
})

test(
  "no event and no accepted trigger is lost while each container is restarted",
  async () => {
    const published: string[] = []
    let lastCalledAt = 0
    let restarting = true
    // Triggered only during one restart: no later trigger can cause the sync of one that was lost.
    const ownTriggers = new Map<string, { url: string; calledAt: number }>()
    for (const name of system.containers.keys())
      ownTriggers.set(name, { url: await createConnection(`/${name}`), calledAt: 0 })
    const publishing = (async () => {
      for (; restarting; await sleep(100)) {
        const id = randomUUID()
        await waitUntil("an acknowledgement of Kafka", () => publish(id).then(() => true))
        published.push(id)
      }
    })()
    const triggering = (async () => {
      for (; restarting; await sleep(100)) lastCalledAt = await trigger(triggerUrl)
    })()
    const restarts = (async () => {
      for (const [name, own] of ownTriggers) {
        const [calledAt] = await Promise.all([trigger(own.url), system.restart(name)])
        own.calledAt = calledAt
        const before = published.length
        await waitUntil(`events published after the restart of ${name}`, () => published.length > before + 5)
      }
    })().finally(() => {
      restarting = false
    })
    await Promise.all([restarts, publishing, triggering])
    for (const id of published) await waitUntil(`the delivery of ${id}`, arrived(id))
    await waitUntil("the last sync", synced("/data", lastCalledAt))
    for (const [name, { calledAt }] of ownTriggers)
      await waitUntil(`the sync triggered as ${name} restarted`, synced(`/${name}`, calledAt))
  },
  longMs,
)

test("each process ends with exit code 0 when its container is stopped", async () => {
  const services = processNames.filter((name) => name !== "setup")
  const codes = await Promise.all(services.map(async (name) => [name, await system.stop(name)]))
  expect(codes).toEqual(services.map((name) => [name, 0]))
})

function sitePaid(id: string): string {
  return JSON.stringify({
    id,
    channel: "acme",
    reference: id,
    site_url: "https://bakery.example",
    console_url: "https://console.example/bakery",
    name: "Bakery",
    email: "owner@bakery.example",
    created_at: new Date().toISOString(),
  })
}
