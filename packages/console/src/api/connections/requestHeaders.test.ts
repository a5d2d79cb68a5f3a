import { sealContexts, unseal } from "@sitewire/database"
import { afterAll, beforeAll, expect, test } from "vitest"
import { sealingKeys, startConsole, type TestConsole } from "../../../test/fixtures/startConsole.ts"

let console: TestConsole
beforeAll(async () => {
  console = await startConsole()
})
afterAll(() => console.close())

const body = { site: "shop.example", source: "https://api.partner.example/items" }
const header = (name: string, value: string) => ({ name, value })

async function make(id: string, request_headers: object[]) {
  const made = await console.call("POST", "/v1/connections", { body: { ...body, id, request_headers } })
  expect(made.status).toBe(201)
  return made
}

const change = (id: string, change: object, headers = {}) =>
  console.call("PATCH", `/v1/connections/${id}`, { body: change, headers })

async function stored(id: string): Promise<object | null> {
  const row = await console.prisma.connection.findUniqueOrThrow({ where: { id } })
  const sealed = row.request_headers_sealed
  return sealed && JSON.parse(unseal(sealingKeys, sealContexts.sourceHeaders(id), sealed))
}

test("request headers are stored encrypted, and responses, lists, audit and log contain their names only", async () => {
  const first = header("Authorization", "Bearer marked-1")
  const made = await make("sealed", [first, header("X-Team", "marked-2")])
  expect(made.json.request_header_names).toEqual(["authorization", "x-team"])
  expect(await stored("sealed")).toEqual({ authorization: "Bearer marked-1", "x-team": "marked-2" })

  const changed = await change("sealed", { request_headers: [header("Authorization", "Bearer marked-3")] })
  expect(changed.json.request_header_names).toEqual(["authorization"])
  expect(await stored("sealed")).toEqual({ authorization: "Bearer marked-3" })

  const rejected = await change("sealed", { request_headers: [header("Authorization", "marked-4\n")] })
  expect(rejected.status).toBe(400)
  const texts = [made, changed, rejected].map(({ text }) => text)
  for (const path of [
    "/v1/connections/sealed",
    "/v1/connections",
    "/v1/connections/sealed/trigger-url",
    "/v1/audit",
  ])
    texts.push((await console.call("GET", path)).text)
  const rows = await console.pool.sql("select c::text, a::text from connection c, audit_entry a")
  for (const text of [...texts, JSON.stringify(rows), ...console.log]) expect(text).not.toContain("marked")
  const [audit] = await console.prisma.auditEntry.findMany({
    where: { target_id: "sealed", operation: "changeConnection" },
  })
  expect(audit?.changes).toMatchObject({
    request_header_names: { old: ["authorization", "x-team"], new: ["authorization"] },
    request_headers_changed_at: { new: changed.json.request_headers_changed_at },
  })
})

test("changed request headers are used from the next sync on: a running one is discarded, and one is requested", async () => {
  await make("rotated", [header("authorization", "Bearer first")])
  await console.prisma.snapshot.create({
    data: {
      connection_id: "rotated",
      fence: 1n,
      content_sha256: new Uint8Array([1]),
      bytes: 1n,
      etag: '"old"',
    },
  })
  const before = await console.call("GET", "/v1/connections/rotated")
  const changed = await change("rotated", { request_headers: [header("authorization", "Bearer second")] })
  expect(changed.json.state).toBe("waiting")
  const window = await console.prisma.syncWindow.findUniqueOrThrow({ where: { connection_id: "rotated" } })
  expect(window).toMatchObject({ requested: 1n, source_version: 2 })
  // What the source sent to other credentials may not be what it sends to these.
  expect(await console.prisma.snapshot.findFirst({ where: { connection_id: "rotated" } })).toMatchObject({
    etag: null,
  })
  const outdated = { "if-match": String(before.headers.get("etag")) }
  expect((await change("rotated", { request_headers: [] }, outdated)).status).toBe(412)
  const removed = await change("rotated", { request_headers: [] })
  expect(removed.json.request_header_names).toEqual([])
  expect(await stored("rotated")).toBeNull()
})

test("request headers are not sent to another scheme, host or port than the one they were given for", async () => {
  await make("bound", [header("authorization", "Bearer first")])
  const elsewhere = "https://attacker.example/items"
  for (const source of [elsewhere, "https://api.partner.example:8443/items"]) {
    const rejected = await change("bound", { source })
    expect(rejected).toMatchObject({ status: 400, json: { errors: [{ field: "request_headers" }] } })
  }
  expect((await change("bound", { source: "https://api.partner.example/v2" })).status).toBe(200)
  expect(await stored("bound")).toEqual({ authorization: "Bearer first" })
  expect((await change("bound", { source: elsewhere, request_headers: [] })).status).toBe(200)
  expect(await stored("bound")).toBeNull()
})

test.each([
  ["name", "Host"],
  ["name", "content-length"],
  ["name", "Transfer-Encoding"],
  ["name", "User-Agent"],
  ["name", "Cache-Control"],
  ["name", "If-None-Match"],
  ["name", "Proxy-Authorization"],
  ["name", "webhook-signature"],
  ["name", "X-Sitewire-Signature"],
  ["name", "x-acme-connection"],
  ["name", "with space"],
  ["name", "with:colon"],
  ["name", ""],
  ["value", ""],
  ["value", "two\r\nlines"],
  ["value", "ä"],
  ["value", "x".repeat(4_001)],
])("a request header with the %s %j is rejected by name", async (field, text) => {
  const wrong = { ...header("authorization", "Bearer x"), [field]: text }
  const rejected = await console.call("POST", "/v1/connections", {
    body: { ...body, request_headers: [wrong] },
  })
  expect(rejected.status).toBe(400)
  expect(rejected.json.errors).toEqual([{ field: `request_headers.0.${field}`, message: expect.any(String) }])
})

test("a connection has at most four request headers, each once", async () => {
  const many = ["a", "b", "c", "d", "e"].map((name) => header(name, "x"))
  const twice = [header("X-Key", "1"), header("x-key", "2")]
  for (const request_headers of [many, twice])
    expect(
      await console.call("POST", "/v1/connections", { body: { ...body, request_headers } }),
    ).toMatchObject({
      status: 400,
      json: { errors: [{ field: "request_headers" }] },
    })
})
