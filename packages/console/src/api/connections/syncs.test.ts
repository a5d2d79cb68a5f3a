import { createHash, randomBytes } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startConsole, type TestConsole } from "../../../test/fixtures/startConsole.ts"

let console: TestConsole
beforeAll(async () => {
  console = await startConsole()
  const source = "https://api.partner.example/items"
  for (const id of ["feed", "empty", "html", "torn"]) {
    await console.call("POST", "/v1/connections", { body: { id, site: "shop.example", source } })
  }
})
afterAll(() => console.close())

const sha256 = (bytes: Buffer) => new Uint8Array(createHash("sha256").update(bytes).digest())

async function store(connection_id: string, chunks: Buffer[], content_type: string | null, bytes?: number) {
  const content = Buffer.concat(chunks)
  await console.prisma.snapshot.create({
    data: {
      connection_id,
      fence: 3n,
      content_sha256: sha256(content),
      content_type,
      bytes: BigInt(bytes ?? content.length),
    },
  })
  // Inserted in reverse order: the response must be in the order of positions.
  for (const [position, data] of [...chunks.entries()].toReversed()) {
    await console.prisma.snapshotChunk.create({
      data: { connection_id, fence: 3n, position, data: new Uint8Array(data) },
    })
  }
  return content
}

test("syncs are listed newest first, page by page, with what they covered", async () => {
  for (let fence = 1; fence <= 5; fence++) {
    await console.prisma.syncRun.create({
      data: {
        connection_id: "feed",
        fence: BigInt(fence),
        started_at: new Date(fence * 60_000),
        finished_at: new Date(fence * 60_000 + 500),
        outcome: "changed",
        triggers: 2,
        bytes: 12n,
        content_sha256: sha256(Buffer.from("x")),
      },
    })
  }
  await console.prisma.syncRun.create({
    data: { connection_id: "empty", fence: 1n, started_at: new Date(), triggers: 1, outcome: "changed" },
  })
  const first = await console.call("GET", "/v1/syncs?connection=feed&limit=3")
  const second = await console.call(
    "GET",
    `/v1/syncs?connection=feed&limit=3&cursor=${first.json.next_cursor}`,
  )
  const rows = [...(first.json.data as object[]), ...(second.json.data as object[])]
  expect(rows.map((row) => (row as { fence: number }).fence)).toEqual([5, 4, 3, 2, 1])
  expect(second.json.next_cursor).toBeNull()
  expect(rows[0]).toMatchObject({
    outcome: "changed",
    triggers: 2,
    bytes: 12,
    content_sha256: createHash("sha256").update("x").digest("hex"),
  })
})

test("a snapshot is streamed byte for byte, in its type, under the ETag of its hash", async () => {
  const content = await store(
    "feed",
    [randomBytes(300_000), randomBytes(300_000), randomBytes(7)],
    "text/csv",
  )
  const response = await fetch(`${console.origin}/v1/connections/feed/snapshot`, {
    headers: { authorization: `Bearer ${console.key}` },
  })
  expect(response.status).toBe(200)
  expect(response.headers.get("content-type")).toBe("text/csv")
  expect(response.headers.get("content-length")).toBe(String(content.length))
  const etag = response.headers.get("etag") ?? ""
  expect(etag).toBe(`"${createHash("sha256").update(content).digest("hex")}"`)
  expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true)

  const path = "/v1/connections/feed/snapshot"
  const same = await console.call("GET", path, { headers: { "if-none-match": `"other", W/${etag}` } })
  expect(same).toMatchObject({ status: 304, text: "" })
  const changed = await console.call("GET", path, { headers: { "if-none-match": '"other"' } })
  expect(changed.status).toBe(200)
  const head = await console.call("HEAD", path)
  expect(head.status).toBe(200)
  expect(head.headers.get("content-length")).toBe(String(content.length))
})

test("before the first sync, the snapshot is a 404 that explains why", async () => {
  const none = await console.call("GET", "/v1/connections/empty/snapshot")
  expect(none.status).toBe(404)
  expect(none.json.detail).toContain("Nothing has been fetched")
})

test("a source's content cannot run as a page of the console, whatever its content type", async () => {
  await store("html", [Buffer.from("<script>steal()</script>")], "text/html\r\nset-cookie: a=b")
  const { headers, text } = await console.call("GET", "/v1/connections/html/snapshot")
  expect(text).toBe("<script>steal()</script>")
  expect(headers.get("content-type")).toBe("application/octet-stream")
  expect(headers.get("content-disposition")).toBe("attachment")
  expect(headers.get("content-security-policy")).toContain("sandbox")
  expect(headers.get("x-content-type-options")).toBe("nosniff")
})

test("a snapshot whose chunks are deleted while it is sent is cut off, so that the client notices", async () => {
  await store("torn", [Buffer.from("half")], "text/plain", 8)
  await expect(console.call("GET", "/v1/connections/torn/snapshot")).rejects.toThrow()
  expect(console.log.some((line) => line.includes("a response was cut off"))).toBe(true)
})

test("a content that was replaced is streamed while it is stored, and otherwise a 410 states why not", async () => {
  await console.call("POST", "/v1/connections", {
    body: { id: "changed", site: "shop.example", source: "https://api.partner.example/items" },
  })
  await store("changed", [Buffer.from("new")], "text/plain")
  const newest = "/v1/connections/changed/snapshot"
  const path = `${newest}?fence=2`
  expect(await console.call("GET", path)).toMatchObject({ status: 410, json: { code: "content-replaced" } })
  const old = new Uint8Array(Buffer.from("old"))
  await console.prisma.snapshotChunk.create({
    data: { connection_id: "changed", fence: 2n, position: 0, data: old },
  })
  await console.prisma.previousSnapshot.create({
    data: {
      connection_id: "changed",
      fence: 2n,
      content_sha256: sha256(Buffer.from("old")),
      content_type: "text/html\r\nx: y",
      bytes: 3n,
      stored_at: new Date(0),
    },
  })
  const found = await console.call("GET", path)
  expect(found).toMatchObject({ status: 200, text: "old" })
  expect(found.headers.get("content-type")).toBe("application/octet-stream")
  expect(found.headers.get("last-modified")).toBe("Thu, 01 Jan 1970 00:00:00 GMT")
  const etag = found.headers.get("etag") ?? ""
  expect((await console.call("GET", path, { headers: { "if-none-match": etag } })).status).toBe(304)
  expect((await console.call("GET", newest)).text).toBe("new")

  expect(await console.call("GET", `${newest}?fence=3`)).toMatchObject({ status: 200, text: "new" })
  for (const fence of ["1", "4"]) {
    const replaced = await console.call("GET", `${newest}?fence=${fence}`)
    expect(replaced).toMatchObject({ status: 410, json: { code: "content-replaced" } })
  }
  expect((await console.call("GET", `${newest}?fence=x`)).status).toBe(400)
})
