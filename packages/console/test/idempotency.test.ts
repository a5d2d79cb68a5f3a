import { afterAll, beforeAll, expect, test } from "vitest"
import { startConsole, type TestConsole } from "./fixtures/startConsole.ts"

let console: TestConsole
beforeAll(async () => {
  console = await startConsole()
})
afterAll(() => console.close())

const body = { site: "shop.example", source: "https://source.example/" }
const create = (key: string, sent: object = body) =>
  console.call("POST", "/v1/connections", { body: sent, headers: { "idempotency-key": key } })

test("a repeated POST with the same Idempotency-Key gets the same response, secrets included, and creates nothing", async () => {
  const first = await create("order-1")
  const again = await create("order-1")
  expect(again).toMatchObject({ status: 201, text: first.text })
  expect(again.headers.get("location")).toBe(first.headers.get("location"))
  expect(first.headers.get("idempotent-replayed")).toBeNull()
  expect(again.headers.get("idempotent-replayed")).toBe("true")
  expect(await console.prisma.connection.count()).toBe(1)
  expect(await console.prisma.auditEntry.count()).toBe(1)
  const [stored] = await console.pool.sql<{ row: string }>(
    "select idempotency_record::text as row from idempotency_record",
  )
  expect(stored?.row).not.toContain(String(first.json.trigger_url))
})

test("concurrent requests with one Idempotency-Key create one connection", async () => {
  const before = await console.prisma.connection.count()
  const responses = await Promise.all([1, 2, 3, 4].map(() => create("at-once")))
  expect(new Set(responses.map(({ text }) => text)).size).toBe(1)
  expect(await console.prisma.connection.count()).toBe(before + 1)
})

test("another request under a used key is a 422; another API key has its own", async () => {
  await create("used")
  const other = await create("used", { ...body, site: "other.example" })
  expect(other).toMatchObject({ status: 422, json: { code: "idempotency-key-reused" } })
  const key = await console.keyWith("operate")
  const headers = { "idempotency-key": "used" }
  const mine = await console.call("POST", "/v1/connections", { body, headers, key })
  expect(mine.status).toBe(201)
  expect(mine.headers.get("idempotent-replayed")).toBeNull()
})

test("a request that failed may be repeated under its key", async () => {
  expect((await create("fails", { site: "shop.example" })).status).toBe(400)
  expect((await create("fails")).status).toBe(201)
})

test("after 24 hours a key may be used again", async () => {
  const first = await create("old")
  await console.pool.sql("update idempotency_record set created_at = now() - interval '25 hours'")
  const second = await create("old", { ...body, site: "new.example" })
  expect(second.status).toBe(201)
  expect(second.json.id).not.toBe(first.json.id)
})

test("an impossible key is named", async () => {
  const rejected = await create("two words")
  expect(rejected).toMatchObject({ status: 400, json: { errors: [{ field: "Idempotency-Key" }] } })
})

test("a PATCH with If-Match is rejected if the channel has changed since", async () => {
  await console.call("POST", "/v1/channels", { body: { id: "acme", address: "https://one.example/" } })
  const etag = (await console.call("GET", "/v1/channels/acme")).headers.get("etag") ?? ""
  const change = (address: string) =>
    console.call("PATCH", "/v1/channels/acme", { body: { address }, headers: { "if-match": etag } })
  const first = await change("https://two.example/")
  expect(first.status).toBe(200)
  expect(first.headers.get("etag")).toBe((await console.call("GET", "/v1/channels/acme")).headers.get("etag"))
  const second = await change("https://three.example/")
  expect(second).toMatchObject({ status: 412, json: { code: "changed-meanwhile" } })
  expect((await console.call("GET", "/v1/channels/acme")).json.address).toBe("https://two.example/")
})

test("a key that sends too many requests gets 429 with Retry-After, and other keys are served", async () => {
  const limited = await startConsole({ requestsPerMinute: 3 })
  try {
    for (const _ of [1, 2, 3]) expect((await limited.call("GET", "/v1/channels")).status).toBe(200)
    const rejected = await limited.call("GET", "/v1/channels")
    expect(rejected).toMatchObject({ status: 429, json: { code: "too-many-requests" } })
    expect(Number(rejected.headers.get("retry-after"))).toBeGreaterThan(0)
    const key = await limited.keyWith("read")
    expect((await limited.call("GET", "/v1/channels", { key })).status).toBe(200)
  } finally {
    await limited.close()
  }
})
