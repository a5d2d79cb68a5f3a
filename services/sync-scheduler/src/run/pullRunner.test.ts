import { createHash } from "node:crypto"
import { readSealingKeys, seal, sealContexts } from "@sitewire/database"
import { createEgress } from "@sitewire/egress"
import { verifySourceRequest } from "@sitewire/signing"
import { finishRuns, recordTriggers } from "@sitewire/syncs"
import {
  addConnections,
  claimOne,
  emptyDatabase,
  endOf,
  letTimePass,
  minute,
  sealingKeys,
  secretOf,
  setRequestHeaders,
  storeChunk,
  trigger,
} from "@sitewire/syncs/fixtures/windows"
import { expect, onTestFinished, test } from "vitest"
import { startSource } from "../../test/fixtures/source.ts"
import { createPullRunner, type PullRunnerOptions } from "./pullRunner.ts"
import { createOpenCredentials } from "./runner.ts"
import { hostOutcome } from "./runSync.ts"

const openCredentials = createOpenCredentials(sealingKeys)

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
    openCredentials,
    storeChunk: (chunk) => storeChunk(sql, chunk),
    deadlineMs: 10_000,
    maxBytes: 50 * 1024 * 1024,
    serviceName: "Sitewire",
    ...options,
  })
  async function grant() {
    await recordTriggers(sql, minute, [trigger("a")])
    await letTimePass(sql, 120_000)
    return await claimOne(sql)
  }
  async function sync(signal = never) {
    const run = await grant()
    const { result } = await pull(run, allowed, signal)
    await finishRuns(sql, minute, [endOf(run, result)])
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

test("a run states how long it waited for our own storage", async () => {
  const source = await startSource((response) => response.end(Buffer.alloc(700_000, "content ")))
  const waitMs = 100
  const { sql, grant, pull } = await setUp(source.url("/data"), {
    storeChunk: async (chunk) => {
      await new Promise((resolve) => setTimeout(resolve, waitMs))
      return await storeChunk(sql, chunk)
    },
  })
  const { result, storingMs } = await pull(await grant(), allowed, never)
  expect(result.outcome).toBe("changed")
  // Three chunks. A timer can be a millisecond early.
  expect(storingMs).toBeGreaterThan(3 * (waitMs - 2))
})

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

test("a change in the second of the last one is fetched, although the ETag is made of the same time", async () => {
  const modified = "Fri, 27 Nov 2026 12:00:02 GMT"
  const etag = '"19f-5"'
  let [body, date] = ["first", modified]
  const source = await startSource((response, { headers }) => {
    const known = headers["if-none-match"] === etag
    response
      .writeHead(known ? 304 : 200, { date, etag, "last-modified": modified })
      .end(known ? undefined : body)
  })
  const { sync } = await setUp(source.url("/data"))
  expect(await sync()).toMatchObject({ outcome: "changed" })
  body = "second"
  date = "Fri, 27 Nov 2026 12:00:03 GMT"
  expect(await sync()).toMatchObject({ outcome: "changed" })
  expect(await sync()).toEqual({ outcome: "unchanged", content: null })
})

test("an older file that was restored is fetched from a server that compares times", async () => {
  let file = { body: "new", modified: "Sun, 01 Mar 2026 12:00:00 GMT" }
  const source = await startSource((response, { headers }) => {
    const isKnown = Date.parse(file.modified) <= Date.parse(headers["if-modified-since"] ?? "")
    response.writeHead(isKnown ? 304 : 200, { "last-modified": file.modified }).end(file.body)
  })
  const { sync, readStored } = await setUp(source.url("/data"))
  await sync()
  file = { body: "restored", modified: "Sun, 01 Feb 2026 12:00:00 GMT" }
  await sync()
  expect((await readStored()).toString()).toBe("restored")
})

test("a source that rejects its own validator gets no validator in the next request", async () => {
  let body = "first"
  const source = await startSource((response, { headers }) =>
    response.writeHead("if-none-match" in headers ? 412 : 200, { etag: `"${body}"` }).end(body),
  )
  const { sync, readStored } = await setUp(source.url("/data"))
  await sync()
  body = "second"
  expect(await sync()).toMatchObject({ outcome: "failed", status: 412 })
  expect(await sync()).toMatchObject({ outcome: "changed" })
  expect((await readStored()).toString()).toBe("second")
})

test.each([
  ["empty", "", false],
  ["unquoted", "v1", false],
  ["sent twice", '"a", "b"', false],
  ["too long", `"${"a".repeat(1_023)}"`, false],
  ["weak, and not ASCII", 'W/"\u00e4-1"', true],
])(
  "an ETag that is %s: If-None-Match repeats it only if it is an entity tag",
  async (_, etag, isRepeated) => {
    const source = await startSource((response) => response.writeHead(200, { etag }).end("content"))
    const { sync } = await setUp(source.url("/data"))
    await sync()
    await sync()
    expect(source.seen("/data")[1]?.headers["if-none-match"]).toBe(isRepeated ? etag : undefined)
  },
)

test("a cache in front of the source is asked to revalidate, so that it cannot hide a change", async () => {
  let body = "first"
  let cached: string | undefined
  // As a CDN: it responds with what it has stored, unless the request asks it to revalidate.
  const cache = await startSource((response, { headers }) => {
    if (cached === undefined || headers["cache-control"] === "no-cache") cached = body
    response.writeHead(200, { "cache-control": "max-age=60" }).end(cached)
  })
  const { sync, readStored } = await setUp(cache.url("/data"))
  expect(await sync()).toMatchObject({ outcome: "changed" })
  body = "second"
  expect(await sync()).toMatchObject({ outcome: "changed" })
  expect((await readStored()).toString()).toBe("second")
})

test("a request names the service and the connection, and is signed with the connection's own secret", async () => {
  const source = await startSource()
  const url = source.url("/data?key=k")
  const { sync, sql } = await setUp(url)
  await sync()
  const { headers } = source.seen("/data?key=k")[0] ?? { headers: {} }
  const mismatch = { fault: "mismatch" }
  await verifySourceRequest("GET", url, headers, [secretOf("a")])
  await expect(verifySourceRequest("GET", url, headers, [secretOf("b")])).rejects.toMatchObject(mismatch)
  const otherUrl = verifySourceRequest("GET", `${url}&more`, headers, [secretOf("a")])
  await expect(otherUrl).rejects.toMatchObject(mismatch)
  const replaced = seal(sealingKeys, sealContexts.connectionSecret("a"), "the next secret")
  await sql("update connection set signing_secret_sealed = $1", [replaced])
  await sync()
  const [, next] = source.seen("/data?key=k")
  await verifySourceRequest("GET", url, next?.headers ?? {}, ["the next secret"])
  expect(headers).toMatchObject({
    "user-agent": "Sitewire/1",
    "x-sitewire-connection": "a",
    "webhook-id": "a_1",
    "webhook-signature": expect.stringMatching(/^v1,/),
  })
})

test("a request has the connection's own headers as they are now, and they replace none of ours", async () => {
  const source = await startSource()
  const { sync, sql } = await setUp(source.url("/data"))
  const reserved = { "user-agent": "other", "webhook-id": "other", "cache-control": "max-age=60" }
  await setRequestHeaders(sql, "a", { authorization: "Bearer first", "x-team": "bakery", ...reserved })
  expect(await sync()).toMatchObject({ outcome: "changed" })
  await setRequestHeaders(sql, "a", { authorization: "Bearer second" })
  await sync()
  await sql("update connection set request_headers_sealed = null")
  await sync()
  const [first, second, third] = source.seen("/data").map(({ headers }) => headers)
  const ours = { "user-agent": "Sitewire/1", "cache-control": "no-cache" }
  expect(first).toMatchObject({
    authorization: "Bearer first",
    "x-team": "bakery",
    "webhook-id": "a_1",
    ...ours,
  })
  expect(second).toMatchObject({ authorization: "Bearer second", "webhook-id": "a_2" })
  expect(second).not.toHaveProperty("x-team")
  expect(third).not.toHaveProperty("authorization")
})

test("a sync whose credentials do not open fails for that reason, sends nothing, and affects no other connection", async () => {
  const source = await startSource()
  const { sql, sync, pull } = await setUp(source.url("/data"))
  const other = readSealingKeys(`k2:${Buffer.alloc(32, 8).toString("base64")}`)
  await setRequestHeaders(sql, "a", { authorization: "Bearer secret" }, other)
  const result = await sync()
  expect(result).toMatchObject({
    outcome: "failed",
    error: "sealing-key",
    detail: expect.stringContaining('needs the key "k2"'),
  })
  expect(source.seen("/data")).toEqual([])
  await addConnections(sql, ["b"], () => source.url("/b"))
  await recordTriggers(sql, minute, [trigger("b")])
  await letTimePass(sql, 3_000)
  expect((await pull(await claimOne(sql), allowed, never)).result).toMatchObject({ outcome: "changed" })
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

test.each([500, 302, 304, 202, 204, 206])(
  "a source that responds with %i has failed with this status, its content stays, and no change is announced",
  async (status) => {
    const source = await startSource((response, _seen, count) =>
      count === 1 ? response.end("content") : response.writeHead(status, { location: "/" }).end(),
    )
    const { sql, sync, readStored } = await setUp(source.url("/data"))
    await sync()
    await sql("delete from unpublished_change")
    expect(await sync()).toMatchObject({ outcome: "failed", error: "status", status })
    expect((await readStored()).toString()).toBe("content")
    expect(await sql("select from unpublished_change")).toEqual([])
  },
)

test.each(["br", "gzip"])(
  "a source with a wrong or unsupported content-encoding fails for that reason (%s)",
  async (encoding) => {
    const source = await startSource((response) =>
      response.writeHead(200, { "content-encoding": encoding }).end("neither"),
    )
    const { sync } = await setUp(source.url("/data"))
    const result = await sync()
    expect(result).toMatchObject({ outcome: "failed", error: "encoding" })
    expect(hostOutcome(result)).toBe("success")
  },
)

test.each<[string, string, Parameters<typeof startSource>[0]]>([
  ["reset", "failure", (response) => response.socket?.destroy()],
  ["timeout", "failure", () => {}],
  ["timeout", "unknown", (response) => response.write("begins")],
  ["reset", "unknown", (response) => response.write("begins", () => response.socket?.destroy())],
])("the error of a source that fails is %s, and that of its host is %s", async (error, ofHost, answer) => {
  const source = await startSource(answer)
  const { sync } = await setUp(source.url("/data"), { deadlineMs: 300 })
  const result = await sync()
  expect(result).toMatchObject({ outcome: "failed", error })
  expect(hostOutcome(result)).toBe(ofHost)
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
  const { result } = await pull(newer, allowed, never)
  await finishRuns(sql, minute, [endOf(newer, result)])
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
