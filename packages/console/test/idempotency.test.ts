import { sha256 } from "@sitewire/contracts"
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

test("a repeated POST with the same Idempotency-Key gets the same response, does nothing, and is audited", async () => {
  const erase = () =>
    console.call("POST", "/v1/jobs/erasure", {
      body: { site_url: "https://repeated.example/", reason: "r" },
      headers: { "idempotency-key": "order-1" },
    })
  const first = await erase()
  const again = await erase()
  expect(again).toMatchObject({ status: 202, text: first.text })
  expect(again.headers.get("location")).toBe(first.headers.get("location"))
  expect(first.headers.get("idempotent-replayed")).toBeNull()
  expect(again.headers.get("idempotent-replayed")).toBe("true")
  expect(await console.prisma.job.count()).toBe(1)
  const { json } = await console.call("GET", "/v1/audit?operation=createErasureJob")
  expect(json.data).toMatchObject([{ changes: { repeated: { old: null, new: true } } }, {}])
})

test.each([
  ["keys", { name: "k", scopes: ["read"] }, "DELETE /v1/keys/key_"],
  ["channels", { id: "once", address: "https://partner.example/" }, "POST /v1/channels/once/secret/stage"],
  ["channels/once/secret/stage", undefined, "GET /v1/channels/once/secret/staged"],
  ["connections", { ...body, id: "once" }, "GET /v1/connections/once/trigger-url"],
  ["connections/once/token", undefined, "GET /v1/connections/once/trigger-url"],
  ["connections/once/signing-secret", undefined, "Replace it again"],
  ["sign-in-links", undefined, "Create another link"],
])(
  "a secret of POST /v1/%s is shown once: a repetition states how to get another one, and nothing is stored",
  async (path, sent, advice) => {
    const headers = { "idempotency-key": `secret of ${path}`.replaceAll(" ", "-") }
    const post = () => console.call("POST", `/v1/${path}`, { ...(sent ? { body: sent } : {}), headers })
    const first = await post()
    expect(first.status).toBeLessThan(300)
    const again = await post()
    expect(again).toMatchObject({ status: 409, json: { code: "secret-shown-once" } })
    expect(again.json.detail).toContain(advice)
    const secrets = first.text.match(/\bsw[a-z]_[\w-]{40,}|\/connectors\/hook\/[^"]+/g) ?? []
    expect(secrets.length).toBeGreaterThan(0)
    const rows = await console.pool.sql("select idempotency_record::text as row from idempotency_record")
    for (const secret of secrets) expect(JSON.stringify(rows) + again.text).not.toContain(secret)
  },
)

test("a key that has lost a scope gets no response that was stored for it", async () => {
  for (const id of ["lost", "kept"])
    await console.call("POST", "/v1/channels", { body: { id, address: "https://partner.example/" } })
  const key = await console.keyWith("channel:lost", "channel:kept")
  const headers = { "idempotency-key": "of-the-lost-channel" }
  const stage = () => console.call("POST", "/v1/channels/lost/secret/stage", { headers, key })
  expect((await stage()).status).toBe(200)
  await console.call("DELETE", "/v1/channels/lost")
  const again = await stage()
  expect(again).toMatchObject({ status: 403, json: { code: "missing-scope" } })
  expect(again.json.detail).toContain("channel:lost")
})

test("what is stored of a request does not confirm a guess of its e-mail address", async () => {
  const erasure = { email: "owner@shop.example", reason: "r" }
  const headers = { "idempotency-key": "erasure" }
  const sent = await console.call("POST", "/v1/jobs/erasure", { body: erasure, headers })
  expect(sent.status).toBe(202)
  const rows = JSON.stringify([
    await console.pool.sql("select idempotency_record::text from idempotency_record"),
    await console.pool.sql("select job::text from job"),
    await console.pool.sql("select audit_entry::text from audit_entry"),
    sent.json,
  ])
  for (const guess of [`/v1/jobs/erasure\n${JSON.stringify(erasure)}`, erasure.email])
    expect(rows).not.toContain(sha256(guess).toString("hex"))
})

test("concurrent requests with one Idempotency-Key create one connection", async () => {
  const before = await console.prisma.connection.count()
  const responses = await Promise.all([1, 2, 3, 4].map(() => create("at-once")))
  expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409])
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

test("JSON that is nested 5,000 deep is an invalid request under an Idempotency-Key, too", async () => {
  const nested = `${"[".repeat(5_000)}${"]".repeat(5_000)}`
  const sent = { body: `{"site":${nested}}`, headers: { "idempotency-key": "nested" } }
  expect(await console.call("POST", "/v1/connections", sent)).toMatchObject({
    status: 400,
    json: { code: "invalid-request" },
  })
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
  const limited = await startConsole({ rate: { requestsPerMinute: 3 } })
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
