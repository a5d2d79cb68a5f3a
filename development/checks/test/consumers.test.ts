import { spawn } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { once } from "node:events"
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { type IncomingMessage, request } from "node:http"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { waitUntil } from "@sitewire/testkit"
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest"
import { startSystem } from "../../../packages/cli/test/fixtures/startSystem.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))

let system: Awaited<ReturnType<typeof startSystem>>
/** In the repository, so that the example finds kafkajs. */
let folder: string
const contents = new Map<string, Buffer>()

beforeAll(async () => {
  system = await startSystem(
    ({ path }, response) => void response.writeHead(200).end(contents.get(path.slice(1))),
    { SYNC_WINDOW: "500ms" },
    { services: ["scheduler"] },
  )
  await mkdir(join(root, ".sitewire"), { recursive: true })
  folder = await mkdtemp(join(root, ".sitewire", "consumers-"))
})
afterAll(async () => {
  await system?.stop()
  if (folder) await rm(folder, { recursive: true, force: true })
})
beforeEach(() => contents.clear())

const call = async (method: string, path: string, body?: object) => {
  const { SITEWIRE_API, SITEWIRE_API_KEY } = system.cliEnv
  const response = await fetch(`${SITEWIRE_API}/v1/connections${path}`, {
    method,
    headers: { authorization: `Bearer ${SITEWIRE_API_KEY}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: Buffer.from(await response.arrayBuffer()) }
}

const create = (id: string) =>
  call("POST", "", { id, site: `${id}.example`, source: `${system.partner.url}/${id}` })

/** Gives the source a new content, and waits until a sync has stored it. Returns the sync's fence. */
async function change(id: string, content = randomBytes(1_000)): Promise<number> {
  contents.set(id, content)
  await call("POST", `/${id}/sync`)
  return await waitUntil("the new content", async () => {
    const [row] = await system.installation.sql<{ fence: string }>(
      "select fence from snapshot where connection_id = $1 and content_sha256 = sha256($2)",
      [id, content],
    )
    return row && Number(row.fence)
  })
}

test("a reader that has begun to read a large content gets all of it, although the content changes twice meanwhile", async () => {
  await create("large")
  // More than the kernel buffers for a client that reads nothing.
  const old = randomBytes(16 * 1024 * 1024)
  const fence = await change("large", old)
  const reading = request(`${system.cliEnv.SITEWIRE_API}/v1/connections/large/snapshot?fence=${fence}`, {
    headers: { authorization: `Bearer ${system.cliEnv.SITEWIRE_API_KEY}` },
  }).end()
  const [response] = (await once(reading, "response")) as [IncomingMessage]
  const newer = [await change("large"), await change("large", randomBytes(16 * 1024 * 1024))]
  const received = createHash("sha256")
  for await (const piece of response) received.update(piece)
  expect(response.complete).toBe(true)
  expect(received.digest("hex")).toBe(createHash("sha256").update(old).digest("hex"))

  const path = (of: number) => `/large/snapshot?fence=${of}`
  for (const of of [fence, ...newer]) expect((await call("GET", path(of))).status).toBe(200)
  await system.installation.sql(
    "update previous_snapshot set replaced_at = now() - interval '11 minutes' where fence = $1",
    [fence],
  )
  newer.push(await change("large"))
  expect((await call("GET", path(fence))).status).toBe(410)
  for (const of of newer) expect((await call("GET", path(of))).status).toBe(200)
  const chunks = await system.installation.sql(
    "select from snapshot_chunk where connection_id = 'large' and fence = $1",
    [fence],
  )
  expect(chunks).toEqual([])
})

test("the documented consumer has the content of each connection, also after kills of it, of the API and of the scheduler", async () => {
  const file = join(folder, "consumer.mts")
  await copyFile(join(root, "kit/consume/consumer.mts"), file)
  // As `npm init` of npm 11 makes it.
  await writeFile(join(folder, "package.json"), '{"type":"commonjs"}')
  const api = await system.installation.start("console")
  const own = {
    GROUP: `${system.installation.topicPrefix}contents`,
    FOLDER: join(folder, "contents"),
    SITEWIRE_API: api.addresses.console ?? "",
  }
  let errors = ""
  const start = () => {
    const env = { ...process.env, ...system.cliEnv, ...own }
    const child = spawn(process.execPath, [file], { env, stdio: ["ignore", "ignore", "pipe"] })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      errors += text
    })
    const ended = once(child, "close")
    const kill = async () => {
      child.kill("SIGKILL")
      await ended
    }
    onTestFinished(kill)
    return { kill }
  }
  const hasAll = async () => {
    const names = await readdir(own.FOLDER).catch(() => [])
    if (names.toSorted().join() !== [...contents.keys()].toSorted().join()) return false
    const stored = await Promise.all(names.map((name) => readFile(join(own.FOLDER, name))))
    return stored.every((content, at) => contents.get(names[at] ?? "")?.equals(content))
  }

  await call("DELETE", "/large")
  const ids = Array.from({ length: 20 }, (_, n) => `shop-${n}`)
  for (const id of ids) await create(id)
  for (let n = 0; n < 3; n++) {
    await Promise.all(ids.map((id) => change(id)))
    await waitUntil("the records of these contents", async () => {
      const [row] = await system.installation.sql<{ left: string }>(
        "select count(*) as left from unpublished_change",
      )
      return row?.left === "0"
    })
  }
  const first = start()
  await waitUntil("all contents", hasAll)
  const metrics = await (await fetch(`${api.addresses.ops}/metrics`)).text()
  const counts = metrics.matchAll(/^sitewire_console_requests_total\{.*snapshot.* (\d+)$/gm)
  const requests = [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
  expect(requests, "old contents are not requested").toBeLessThanOrEqual(ids.length)

  await api.end("SIGKILL")
  await change("shop-0")
  await waitUntil("an error of the consumer", () => errors.includes("Error when calling each"))
  await system.installation.start("console", { CONSOLE_PORT: new URL(own.SITEWIRE_API).port })
  await waitUntil("the content after the kill of the API", hasAll)

  await first.kill()
  await system.processes.get("scheduler")?.end("SIGKILL")
  await system.installation.start("scheduler")
  await Promise.all(ids.slice(0, 10).map((id) => change(id)))
  await call("DELETE", "/shop-19")
  contents.delete("shop-19")
  start()
  await waitUntil("the contents after the kills", hasAll)
  await change("shop-0")
  await waitUntil("the newest content", hasAll)
})
