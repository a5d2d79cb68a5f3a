import { connect } from "node:net"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startConsole, type TestConsole } from "./fixtures/startConsole.ts"

let console: TestConsole
beforeAll(async () => {
  console = await startConsole()
})
afterAll(() => console.close())

const post = (body: unknown, headers: Record<string, string> = {}) =>
  console.call("POST", "/v1/channels", { body, headers })

test("every wrong field is named at once: missing, of the wrong type, unknown", async () => {
  const refused = await post({ id: 7, adress: "https://partner.example/", extra: true })
  expect(refused.status).toBe(400)
  const fields = (refused.json.errors as { field: string }[]).map((error) => error.field)
  expect(fields.toSorted()).toEqual(["address", "adress", "extra", "id"])
})

test.each([
  ["[]", "an array"],
  ['"text"', "a string"],
  ["null", "null"],
])("the body %s (%s) is named as the body's fault", async (body) => {
  const refused = await post(body)
  expect(refused.status).toBe(400)
  expect(refused.json.errors).toEqual([{ field: "body", message: expect.any(String) }])
})

test("a body that is missing is named", async () => {
  const refused = await console.call("POST", "/v1/channels")
  expect(refused.status).toBe(400)
  expect(refused.json.errors).toEqual([{ field: "body", message: expect.any(String) }])
})

test("malformed JSON answers 400 without repeating it", async () => {
  const refused = await post('{"address": "sws_pasted-by-mistake')
  expect(refused.status).toBe(400)
  for (const text of [refused.text, ...console.log]) expect(text).not.toContain("pasted")
})

test("a body that is not JSON, compressed or of another charset answers 415", async () => {
  expect((await post("address=x", { "content-type": "application/x-www-form-urlencoded" })).status).toBe(415)
  expect((await post("{}", { "content-encoding": "gzip" })).status).toBe(415)
  expect((await post("{}", { "content-type": "application/json; charset=latin1" })).status).toBe(415)
})

test("a body above 64 KiB answers 413", async () => {
  expect((await post({ address: "x".repeat(65 * 1024) })).status).toBe(413)
  expect((await post({ address: "x".repeat(60 * 1024) })).status).toBe(400)
})

test("a query that is misspelt or out of bounds is named and not ignored", async () => {
  const cases: [string, string][] = [
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["limit=many", "limit"],
    ["limit=2&limit=3", "limit"],
    ["cursor=invented", "cursor"],
    [`cursor=${Buffer.from('["2026-01-01T00:00:00Z"]').toString("base64url")}`, "cursor"],
    ["stat=dead", "stat"],
    ["state=lost", "state"],
    ["channel=%00", "channel"],
  ]
  for (const [query, field] of cases) {
    const refused = await console.call("GET", `/v1/deliveries?${query}`)
    expect(refused.status, query).toBe(400)
    expect(refused.json.errors, query).toEqual([{ field, message: expect.any(String) }])
  }
})

test.each(["channels", "connections", "jobs"])("a forged cursor of %s is named", async (list) => {
  const time = "2026-01-01T00:00:00Z"
  for (const key of [
    ["0000-01-01T00:00:00Z", "a"],
    ["9999-12-31T23:59:59-23:00", "a"],
    [time, "a\u0000"],
    [time, "a\ud800"],
  ]) {
    const cursor = Buffer.from(JSON.stringify(key)).toString("base64url")
    const refused = await console.call("GET", `/v1/${list}?cursor=${cursor}`)
    expect(refused.status, String(key)).toBe(400)
    expect(refused.json.errors).toEqual([{ field: "cursor", message: expect.any(String) }])
  }
})

test.each([
  ["a site without its scheme", "erasure", { site_url: "shop.example" }, "site_url"],
  ["the year 0", "resend", { filter: { created_from: "0000-01-01T00:00:00Z" } }, "filter.created_from"],
  ["NUL in a reason", "replay", { filter: { reason: "a\u0000b" } }, "filter.reason"],
  ["half of a surrogate pair in a reason", "replay", { filter: { reason: "a\ud800" } }, "filter.reason"],
])("%s is named, and no job is made of it", async (_, kind, asked, field) => {
  for (const dry_run of [true, false]) {
    const refused = await console.call("POST", `/v1/jobs/${kind}`, {
      body: { ...asked, reason: "r", dry_run },
    })
    expect(refused.status).toBe(400)
    expect(refused.json.errors).toEqual([{ field, message: expect.any(String) }])
  }
  expect(await console.prisma.job.count()).toBe(0)
})

test.each([
  ["a wide offset", "2026-01-01T00:00:00+23:00"],
  ["a long fraction", `2026-01-01T00:00:00.${"1".repeat(300)}Z`],
])("a time with %s is understood", async (_, created_from) => {
  const body = { filter: { created_from }, reason: "r", dry_run: true }
  expect((await console.call("POST", "/v1/jobs/resend", { body })).status).toBe(200)
})

test("ids that cannot be ids answer 404, and paths that cannot be decoded 400", async () => {
  expect((await console.call("GET", "/v1/deliveries/7")).status).toBe(404)
  expect((await console.call("GET", "/v1/channels/%00")).status).toBe(404)
  expect((await console.call("GET", "/v1/channels/..%2f..%2fetc")).status).toBe(404)
  expect((await console.call("GET", "/v1/channels/%ZZ")).status).toBe(400)
})

test("what is not there answers 404, and a method that is not there 405 with those that are", async () => {
  expect((await console.call("GET", "/v1/nothing")).status).toBe(404)
  expect((await console.call("GET", "/V1/channels")).status).toBe(404)
  const refused = await console.call("DELETE", "/v1/channels/acme")
  expect(refused.status).toBe(405)
  expect(refused.headers.get("allow")).toBe("GET, PATCH, HEAD")
})

test("what is not even HTTP gets a problem too", async () => {
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect(console.port, "127.0.0.1", () => socket.write("nonsense\r\n\r\n"))
    let text = ""
    socket.on("data", (chunk) => {
      text += chunk
    })
    socket.on("end", () => resolve(text)).on("error", reject)
  })
  expect(answer).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/)
  expect(answer).toContain("application/problem+json")
})

test("other origins may neither read nor frame an answer", async () => {
  const { headers } = await console.call("GET", "/v1/channels", {
    headers: { origin: "https://evil.example" },
  })
  expect([...headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([])
  expect(headers.get("x-powered-by")).toBeNull()
  expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'")
  expect(headers.get("x-content-type-options")).toBe("nosniff")
})
