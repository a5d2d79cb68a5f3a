import { connect } from "node:net"
import { afterAll, beforeAll, expect, test } from "vitest"
import { sendPath } from "./fixtures/browser.ts"
import { startConsole, type TestConsole } from "./fixtures/startConsole.ts"

let console: TestConsole
beforeAll(async () => {
  console = await startConsole()
})
afterAll(() => console.close())

const post = (body: unknown, headers: Record<string, string> = {}) =>
  console.call("POST", "/v1/channels", { body, headers })

test("all invalid fields are named at once: missing, of the wrong type, unknown", async () => {
  const { status, json } = await post({ id: 7, adress: "https://partner.example/", extra: true })
  expect(status).toBe(400)
  expect(json.errors).toEqual(
    expect.arrayContaining([
      { field: "id", message: "id must be a string" },
      { field: "address", message: "address is required" },
      {
        field: "adress",
        message: "adress is not a field of this request: check its spelling, or remove it",
      },
      { field: "extra", message: "extra is not a field of this request: check its spelling, or remove it" },
    ]),
  )
  expect(json.errors).toHaveLength(4)
})

test.each([
  [
    "channels",
    { address: "/hook" },
    "address must be an http or https URL, such as https://shop.example, without a user name or password (give credentials in request_headers) and without a fragment (#…)",
  ],
  [
    "channels",
    { id: "-a", address: "https://a.example" },
    "id must be 1 to 64 letters, digits, - or _, beginning with a letter or digit",
  ],
  [
    "connections",
    { site: "https://shop.example", source: "https://api.example" },
    "site must be a host name without scheme or path, such as shop.example",
  ],
  [
    "connections",
    { site: "shop.example", source: "https://api.example", runner: "push" },
    "runner must be pull or delegate",
  ],
  ["jobs/resend", { filter: { channel: "a" } }, "reason is required"],
  ["jobs/resend", { filter: { channel: "a" }, reason: " " }, "reason must not be empty"],
  ["jobs/resend", { reason: "r" }, "filter is required"],
  [
    "jobs/resend",
    { filter: {}, reason: "r" },
    "filter must contain channel, state, created_after or created_before: an empty filter would resend every delivery",
  ],
  [
    "jobs/resend",
    { filter: { state: "lost" }, reason: "r" },
    "filter.state must be pending, delivered, dead or cancelled",
  ],
  [
    "jobs/resend",
    { filter: { created_after: "2026-03-01T12:00:00" }, reason: "r" },
    "filter.created_after needs a UTC offset, such as 2026-03-01T12:00:00Z",
  ],
  [
    "jobs/resend",
    { filter: { created_after: "yesterday" }, reason: "r" },
    "filter.created_after must be a time with a UTC offset, such as 2026-03-01T12:00:00Z",
  ],
  ["jobs/resend", { filter: { channel: "a" }, reason: "r", per_second: 0 }, "per_second must be at least 1"],
  [
    "jobs/resend",
    { filter: { channel: "a" }, reason: "r", per_second: 1.5 },
    "per_second must be a whole number",
  ],
  ["jobs/resend", { filter: { channel: "a" }, reason: "r", dry_run: "yes" }, "dry_run must be true or false"],
  ["jobs/erasure", { email: "no address", reason: "r" }, "email must be one e-mail address"],
  ["jobs/erasure", { reason: "r" }, "body must contain either email or site_url"],
  [
    "jobs/erasure",
    { email: "owner@shop.example", reason: "asked by owner@shop.example" },
    "reason must not contain an e-mail address, because the reason is never erased",
  ],
])("POST /v1/%s %j: %s", async (path, body, message) => {
  const { status, json } = await console.call("POST", `/v1/${path}`, { body })
  expect(status).toBe(400)
  expect(json.errors).toMatchObject([{ message }])
  expect(json.detail).toBe("The request's body is invalid. Correct these fields and try again.")
})

test.each([
  ["[]", "an array"],
  ['"text"', "a string"],
  ["null", "null"],
])("the body %s (%s) is invalid as a whole", async (body) => {
  const { status, json } = await post(body)
  expect(status).toBe(400)
  expect(json.errors).toEqual([{ field: "body", message: "body must be an object" }])
})

test("a missing body is named", async () => {
  const { status, json } = await console.call("POST", "/v1/channels")
  expect(status).toBe(400)
  expect(json.errors).toEqual([{ field: "body", message: "body is required" }])
})

test("invalid JSON is a 400 that does not repeat it", async () => {
  const rejected = await post('{"address": "sws_pasted-by-mistake')
  expect(rejected.status).toBe(400)
  expect(rejected.json.detail).toContain("The body is not valid JSON")
  for (const text of [rejected.text, ...console.log]) expect(text).not.toContain("pasted")
})

test("a body that is not JSON, compressed or of another charset is a 415 that names the right header", async () => {
  const form = await post("address=x", { "content-type": "application/x-www-form-urlencoded" })
  expect(form.status).toBe(415)
  expect(form.json.detail).toContain("`Content-Type: application/json`")
  expect((await post("{}", { "content-encoding": "gzip" })).status).toBe(415)
  expect((await post("{}", { "content-type": "application/json; charset=latin1" })).status).toBe(415)
})

test("a body above 64 KiB is a 413", async () => {
  expect((await post({ address: "x".repeat(65 * 1024) })).status).toBe(413)
  expect((await post({ address: "x".repeat(60 * 1024) })).status).toBe(400)
})

test("a query parameter that is misspelt or out of bounds is named and not ignored", async () => {
  const invalidCursor = "cursor must be next_cursor of this list's previous page, unchanged"
  const cases: [string, string, string][] = [
    ["limit=0", "limit", "limit must be at least 1"],
    ["limit=101", "limit", "limit must be at most 100"],
    ["limit=many", "limit", "limit must be a number"],
    ["limit=2&limit=3", "limit", "limit must be a number"],
    ["cursor=invented", "cursor", invalidCursor],
    [`cursor=${Buffer.from('["2026-01-01T00:00:00Z"]').toString("base64url")}`, "cursor", invalidCursor],
    ["stat=dead", "stat", "stat is not a field of this request: check its spelling, or remove it"],
    ["state=lost", "state", "state must be pending, delivered, dead, cancelled or erased"],
    [
      "channel=%00",
      "channel",
      "channel must be 1 to 64 letters, digits, - or _, beginning with a letter or digit",
    ],
  ]
  for (const [query, field, message] of cases) {
    const rejected = await console.call("GET", `/v1/deliveries?${query}`)
    expect(rejected.status, query).toBe(400)
    expect(rejected.json.errors, query).toEqual([{ field, message }])
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
    const rejected = await console.call("GET", `/v1/${list}?cursor=${cursor}`)
    expect(rejected.status, String(key)).toBe(400)
    expect(rejected.json.errors).toEqual([{ field: "cursor", message: expect.any(String) }])
  }
})

test.each([
  [
    "a site without its scheme",
    "erasure",
    { site_url: "shop.example" },
    "site_url",
    "site_url must be an absolute http or https URL with a host, such as https://shop.example",
  ],
  [
    "the year 0",
    "resend",
    { filter: { created_after: "0000-01-01T00:00:00Z" } },
    "filter.created_after",
    "filter.created_after must be in the years 1970 to 9999, in UTC",
  ],
  [
    "NUL in a reason",
    "replay",
    { filter: { reason: "a\u0000b" } },
    "filter.reason",
    "filter.reason must not contain control characters",
  ],
  [
    "half of a surrogate pair in a reason",
    "replay",
    { filter: { reason: "a\ud800" } },
    "filter.reason",
    "filter.reason must not contain half of a surrogate pair",
  ],
])("%s is named, and no job is created", async (_, kind, fields, field, message) => {
  for (const dry_run of [true, false]) {
    const rejected = await console.call("POST", `/v1/jobs/${kind}`, {
      body: { ...fields, reason: "r", dry_run },
    })
    expect(rejected.status).toBe(400)
    expect(rejected.json.errors).toEqual([{ field, message }])
  }
  expect(await console.prisma.job.count()).toBe(0)
})

test.each([
  ["a large offset", "2026-01-01T00:00:00+23:00"],
  ["many decimals", `2026-01-01T00:00:00.${"1".repeat(300)}Z`],
])("a time with %s is valid", async (_, created_after) => {
  const body = { filter: { created_after }, reason: "r", dry_run: true }
  expect((await console.call("POST", "/v1/jobs/resend", { body })).status).toBe(200)
})

test("an impossible id is a 404 that states the format, and a path that cannot be decoded a 400", async () => {
  const delivery = await console.call("GET", "/v1/deliveries/7")
  expect(delivery.status).toBe(404)
  expect(delivery.json.detail).toContain("id must be a UUID, as in the header X-Sitewire-Delivery")
  expect((await console.call("GET", "/v1/channels/%00")).status).toBe(404)
  expect((await console.call("GET", "/v1/channels/..%2f..%2fetc")).status).toBe(404)
  expect((await console.call("GET", "/v1/channels/%ZZ")).status).toBe(400)
})

test("an unknown id is a 404 that names the list", async () => {
  const { status, json } = await console.call("GET", "/v1/channels/none")
  expect(status).toBe(404)
  expect(json.detail).toBe('There is no channel "none". GET /v1/channels lists all channels.')
})

test("a missing and an invalid API key are a 401 that names the header", async () => {
  const missing = await console.call("GET", "/v1/channels", { key: null })
  expect(missing.status).toBe(401)
  expect(missing.json.detail).toMatch(/^The API key is missing\. .*"Authorization: Bearer swk_…"/)
  const invalid = await console.call("GET", "/v1/channels", { key: "swk_typo" })
  expect(invalid.status).toBe(401)
  expect(invalid.json.detail).toMatch(
    /^The API key is invalid, was revoked, or has expired\. .*"Authorization: Bearer swk_…"/,
  )
})

test("an unknown path is a 404, and an unsupported method a 405 with the supported ones", async () => {
  expect((await console.call("GET", "/v1/nothing")).status).toBe(404)
  expect((await console.call("GET", "/V1/channels")).status).toBe(404)
  const rejected = await console.call("PUT", "/v1/channels/acme")
  expect(rejected.status).toBe(405)
  expect(rejected.headers.get("allow")).toBe("GET, PATCH, DELETE, HEAD")
})

test("a path that begins like a malformed host is unknown, and is not printed in a warning", async () => {
  const warnings: string[] = []
  const onWarning = ({ message }: Error) => warnings.push(message)
  process.on("warning", onWarning)
  for (const start of ["//user@host:abc", "/\\user@host:abc", "http://user@host:abc//user@host:abc"]) {
    const path = `${start}/sws_pasted-by-mistake/#`
    const { status, text } = await sendPath(new URL(console.origin), path, "GET", undefined, {})
    expect({ status, text }).toEqual({ status: 404, text: expect.not.stringContaining("pasted") })
  }
  const absolute = "http://user@host:abc/v1/channels#"
  expect((await sendPath(new URL(console.origin), absolute, "GET", undefined, {})).status).toBe(401)
  process.off("warning", onWarning)
  expect(warnings).toEqual([])
})

test("a request that is not HTTP gets a problem too", async () => {
  const response = await new Promise<string>((resolve, reject) => {
    const socket = connect(console.port, "127.0.0.1", () => socket.write("nonsense\r\n\r\n"))
    let text = ""
    socket.on("data", (chunk) => {
      text += chunk
    })
    socket.on("end", () => resolve(text)).on("error", reject)
  })
  expect(response).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/)
  expect(response).toContain("application/problem+json")
})

test("pages of other origins can neither read nor frame a response", async () => {
  const { headers } = await console.call("GET", "/v1/channels", {
    headers: { origin: "https://evil.example" },
  })
  expect([...headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([])
  expect(headers.get("x-powered-by")).toBeNull()
  expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'")
  expect(headers.get("x-content-type-options")).toBe("nosniff")
})
