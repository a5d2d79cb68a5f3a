import { createHash } from "node:crypto"
import { recordTriggers } from "@sitewire/database"
import { createEgress } from "@sitewire/egress"
import { expect, onTestFinished, test } from "vitest"
import { startSource } from "../../test/fixtures/source.ts"
import {
  addConnections,
  claimOne,
  emptyDatabase,
  endOf,
  letTimePass,
  minute,
  trigger,
} from "../../test/fixtures/windows.ts"
import { finishRuns } from "./finishRuns.ts"
import { createPullRunner, type PullRunnerOptions } from "./pullRunner.ts"
import { storeChunk } from "./storeChunk.ts"

const never = new AbortController().signal
const allowed = () => true

async function setUp(source: string, options: Partial<PullRunnerOptions> = {}) {
  const { sql } = await emptyDatabase()
  await addConnections(sql, ["a"], () => source)
  const egress = createEgress({
    allow: ["127.0.0.0/8"],
    allowHttp: true,
    userAgent: "Sitewire/1",
    connectionsPerOrigin: 4,
  })
  onTestFinished(() => egress.close())
  const pull = createPullRunner({
    egress,
    storeChunk: async (chunk) => (await storeChunk(sql, chunk)) === "stored",
    deadlineMs: 10_000,
    maxBytes: 50 * 1024 * 1024,
    serviceName: "Sitewire",
    signingSecret: undefined,
    ...options,
  })
  async function grant() {
    await recordTriggers(sql, minute, [trigger("a")])
    await letTimePass(sql, 120_000)
    return await claimOne(sql)
  }
  async function sync(signal = never) {
    const run = await grant()
    const { result, transitMs } = await pull(run, allowed, signal)
    await finishRuns(sql, minute, [endOf(run, result, { sentAfterMs: transitMs })])
    return result
  }
  async function readStored(): Promise<Buffer> {
    const rows = await sql<{ data: Buffer }>(
      `select data from snapshot_chunk c join snapshot s using (connection_id, fence) order by position`,
    )
    return Buffer.concat(rows.map(({ data }) => data))
  }
  const countChunks = async () => (await sql("select 1 from snapshot_chunk")).length
  return { sql, grant, pull, sync, readStored, countChunks }
}

test("changed content is stored, and a 304 or the same content is unchanged", async () => {
  let body = Buffer.alloc(700_000, "first ")
  const source = await startSource((response, { headers }) => {
    const etag = `"${createHash("sha256").update(body).digest("hex")}"`
    if (headers["if-none-match"] === etag) response.writeHead(304).end()
    else response.writeHead(200, { etag, "content-type": "text/plain" }).end(body)
  })
  const { sync, readStored, countChunks, sql } = await setUp(source.url("/data"))
  const first = {
    bytes: 700_000,
    contentType: "text/plain",
    sha256: createHash("sha256").update(body).digest(),
  }
  expect(await sync()).toMatchObject({ outcome: "changed", content: first })
  expect((await readStored()).equals(body)).toBe(true)
  expect(await countChunks()).toBe(3)

  expect(await sync()).toEqual({ outcome: "unchanged", content: null })
  await sql("update snapshot set etag = null")
  expect(await sync()).toMatchObject({ outcome: "unchanged", content: first })
  expect(source.seen("/data").map(({ headers }) => "if-none-match" in headers)).toEqual([false, true, false])
  expect(await countChunks()).toBe(3)

  body = Buffer.from("second")
  expect(await sync()).toMatchObject({ outcome: "changed", content: { bytes: 6 } })
  expect((await readStored()).toString()).toBe("second")
  // With those of the content before.
  expect(await countChunks()).toBe(4)
})

test("a request names the service and the connection, and is signed", async () => {
  const source = await startSource()
  const { sync } = await setUp(source.url("/data?key=k"), { signingSecret: "s3cret" })
  await sync()
  const { headers } = source.seen("/data?key=k")[0] ?? { headers: {} }
  expect(headers).toMatchObject({
    "user-agent": "Sitewire/1",
    "x-sitewire-connection": "a",
    "webhook-id": "a_1",
    "webhook-signature": expect.stringMatching(/^v1,/),
  })
})

test("content above the limit is rejected, and no part of it stays stored", async () => {
  const source = await startSource((response) => {
    // Chunked, so that there is no Content-Length.
    response.write(Buffer.alloc(2 * 1024 * 1024))
    response.end()
  })
  const { sync, countChunks, readStored } = await setUp(source.url("/data"), { maxBytes: 1024 * 1024 })
  expect(await sync()).toMatchObject({ outcome: "failed", error: "too-large" })
  expect(await countChunks()).toBe(0)
  expect(await readStored()).toHaveLength(0)
})

test.each<[string, Parameters<typeof startSource>[0]]>([
  ["status", (response) => response.writeHead(500).end()],
  ["status", (response) => response.writeHead(304).end()],
  ["status", (response) => response.writeHead(206).end("a part")],
  ["status", (response) => response.writeHead(302, { location: "/" }).end()],
  ["reset", (response) => response.socket?.destroy()],
  ["timeout", () => {}],
])("the error of a source that fails is %s", async (error, answer) => {
  const source = await startSource(answer)
  const { sync } = await setUp(source.url("/data"), { deadlineMs: 300 })
  expect(await sync()).toMatchObject({ outcome: "failed", error })
})

test("a blocked address and an unreachable one are different errors", async () => {
  const blocked = await setUp("http://169.254.169.254/latest?key=secret")
  expect(await blocked.sync()).toMatchObject({ outcome: "failed", error: "blocked-address" })
  const nobody = await setUp("http://127.0.0.1:9/data?key=secret")
  const result = await nobody.sync()
  expect(result).toMatchObject({ outcome: "failed", error: "connect" })
  expect(JSON.stringify(result)).not.toContain("secret")
})

test("a run that is replaced during its download ends and leaves no content", async () => {
  const piece = Buffer.alloc(800_000)
  const source = await startSource(async (response, _, count) => {
    if (count === 2) return response.end("new")
    response.write(piece)
    await replaced
    response.end(piece)
  })
  const { promise: replaced, resolve } = Promise.withResolvers<void>()
  const { sql, grant, pull, readStored, countChunks } = await setUp(source.url("/data"))
  const old = await grant()
  const pulling = pull(old, allowed, never)
  await expect.poll(countChunks).toBeGreaterThan(2)
  await letTimePass(sql, 120_000)
  const newer = await claimOne(sql)
  const { result, transitMs } = await pull(newer, allowed, never)
  await finishRuns(sql, minute, [endOf(newer, result, { sentAfterMs: transitMs })])
  resolve()
  expect((await pulling).result).toEqual({ outcome: "abandoned", error: "stale" })
  expect((await readStored()).toString()).toBe("new")
  expect(await countChunks()).toBe(1)
})

test("a sync that is aborted by a stop is abandoned, not failed", async () => {
  const source = await startSource(() => {})
  const { sync } = await setUp(source.url("/data"))
  const controller = new AbortController()
  const syncing = sync(controller.signal)
  await expect.poll(() => source.seen("/data").length).toBe(1)
  controller.abort()
  expect(await syncing).toEqual({ outcome: "abandoned", error: "stopped" })
})

test("if Postgres stores no content until the deadline, the error is not the source's", async () => {
  const source = await startSource((response) => response.end(Buffer.alloc(700_000, "data ")))
  const storeChunk = () => new Promise<never>(() => {})
  const { sync } = await setUp(source.url("/data"), { storeChunk, deadlineMs: 300 })
  expect(await sync()).toMatchObject({ outcome: "failed", error: "storage" })
})
