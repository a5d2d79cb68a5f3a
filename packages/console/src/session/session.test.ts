import { newSecret, sessionProblemSchema, sessionSchema } from "@sitewire/contracts"
import { waitUntil } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { openBrowser } from "../../test/fixtures/browser.ts"
import { readStream } from "../../test/fixtures/readStream.ts"
import { severableProxy } from "../../test/fixtures/severableProxy.ts"
import { startConsole, type TestConsole } from "../../test/fixtures/startConsole.ts"
import { createApiKey } from "../auth/apiKey.ts"

let console: TestConsole
beforeAll(async () => {
  console = await startConsole()
})
afterAll(() => console.close())

const sql: TestConsole["pool"]["sql"] = (...given) => console.pool.sql(...given)
const keyOf = (name: string, ...scopes: string[]) => createApiKey({ prisma: console.prisma, name, scopes })

async function signedIn(...scopes: string[]) {
  const { id, key } = await keyOf("acme's developers", ...scopes)
  const browser = openBrowser(console.origin)
  const page = await browser.signIn({ key })
  expect(page.status).toBe(200)
  const [cookie = ""] = [...browser.jar].map((pair) => pair.join("="))
  return { id, key, browser, page, cookie }
}

const write = ["POST", "/v1/channels/acme/pause"] as const

test("a key signs in: the session has the key's name and scopes, and a cookie that scripts cannot read", async () => {
  const { browser, page, key } = await signedIn("channel:acme")
  const session = sessionSchema.parse(page.json)
  expect(session).toEqual(page.json)
  expect(session).toMatchObject({
    name: "acme's developers",
    scopes: ["channel:acme"],
    sign_in: { key: true, oidc: false },
  })
  const hours = (new Date(session.expires_at).getTime() - Date.now()) / 3_600_000
  expect(hours).toBeGreaterThan(11.9)
  expect(hours).toBeLessThanOrEqual(12)
  expect(page.cookies).toHaveLength(1)
  const [value, ...attributes] = page.cookies[0]?.split("; ") ?? []
  expect(value).toMatch(/^sitewire_session=swc_[\w-]{49}$/)
  expect(attributes.toSorted()).toEqual([
    expect.stringMatching(/^Expires=/),
    "HttpOnly",
    "Path=/",
    "SameSite=Strict",
  ])
  expect(page.headers.get("cache-control")).toBe("no-store")
  expect((await browser.open("GET", "/session")).json).toEqual(page.json)

  const token = value?.split("=")[1] ?? ""
  const stored = JSON.stringify(await sql("select session::text as row from session"))
  for (const secret of [token, session.csrf_token, key]) {
    expect(stored + console.log.join("")).not.toContain(secret)
  }
})

test("by https, the cookie is Secure and has the prefix __Host-, and browsers must use https from then on", async () => {
  const secure = await startConsole({ consoleOrigin: "https://console.example" })
  onTestFinished(() => secure.close())
  const browser = openBrowser(secure.origin)
  const page = await browser.signIn({ key: secure.key })
  expect(page.cookies[0]).toMatch(
    /^__Host-sitewire_session=\S+; Path=\/;.*; HttpOnly; Secure; SameSite=Strict$/,
  )
  expect(page.headers.get("strict-transport-security")).toBe("max-age=31536000")
  const origin = "https://console.example"
  expect(await browser.open("GET", "/v1/channels", { headers: { origin } })).toMatchObject({ status: 200 })
  const plain = { cookie: `sitewire_session=${browser.jar.get("__Host-sitewire_session")}` }
  expect(await openBrowser(secure.origin).open("GET", "/session", { headers: plain })).toMatchObject({
    status: 401,
  })
})

test("without a session, the response states how to sign in", async () => {
  for (const cookie of ["", "sitewire_session=", `sitewire_session=swc_${"A".repeat(43)}`]) {
    const { status, json } = await openBrowser(console.origin).open("GET", "/session", {
      headers: { cookie },
    })
    expect(status).toBe(401)
    expect(sessionProblemSchema.parse(json)).toEqual(json)
    expect(json).toMatchObject({ code: "invalid-session", sign_in: { key: true, oidc: false } })
  }
})

test("a session may do what its scopes allow, and no more", async () => {
  await console.call("POST", "/v1/channels", { body: { id: "acme", address: "https://a.example/" } })
  await console.call("POST", "/v1/channels", { body: { id: "other", address: "https://b.example/" } })
  const { browser, id } = await signedIn("channel:acme")
  const { json } = await browser.open("GET", "/v1/channels")
  expect(json.data).toMatchObject([{ id: "acme" }])
  expect((await browser.open("GET", "/v1/channels/other")).status).toBe(404)
  expect((await browser.open("GET", "/v1/audit")).json).toMatchObject({ code: "missing-scope", status: 403 })
  expect((await browser.open(...write)).status).toBe(403)
  expect((await browser.open("GET", "/v1/keys/current")).json).toMatchObject({ id })

  const operator = await signedIn("operate")
  expect((await operator.browser.open(...write)).status).toBe(200)
  const { json: audit } = await console.call("GET", "/v1/audit?operation=pauseChannel")
  expect(audit.data).toMatchObject([{ key: { id: operator.id }, target: { kind: "channel", id: "acme" } }])
})

test("a write needs the CSRF token of this very session", async () => {
  const one = await signedIn("operate")
  const other = await signedIn("operate")
  const sendWith = (token: string | undefined) =>
    openBrowser(console.origin).open(...write, {
      headers: { cookie: one.cookie, ...(token === undefined ? {} : { "x-csrf-token": token }) },
    })
  for (const token of [undefined, "", "x".repeat(43), String(other.page.json.csrf_token)]) {
    expect(await sendWith(token)).toMatchObject({ status: 403, json: { code: "invalid-csrf-token" } })
  }
  expect((await sendWith(String(one.page.json.csrf_token))).status).toBe(200)
  const head = await openBrowser(console.origin).open("HEAD", "/v1/channels", {
    headers: { cookie: one.cookie },
  })
  expect(head.status).toBe(200)
})

test("pages of another origin can neither read, write, sign in nor sign out", async () => {
  const { browser, key } = await signedIn("operate")
  const foreign = [
    { origin: "https://evil.example" },
    { origin: "null" },
    { origin: console.origin.replace("http:", "https:") },
    { origin: "http://127.0.0.1:1" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    // A name that resolves to the loopback address.
    { host: "rebound.example", origin: "http://rebound.example" },
  ]
  const requests = [
    [...write],
    ["GET", "/v1/channels"],
    ["GET", "/session"],
    ["POST", "/session", { key }],
    ["DELETE", "/session"],
  ] as const
  for (const headers of foreign) {
    for (const [method, path, body] of requests) {
      const page = await browser.open(method, path, { headers, ...(body ? { body } : {}) })
      expect(page, `${method} ${path} ${JSON.stringify(headers)}`).toMatchObject({
        status: 403,
        json: { code: "foreign-origin" },
        cookies: [],
      })
    }
  }
  const own = { origin: console.origin, "sec-fetch-site": "same-origin" }
  expect((await browser.open(...write, { headers: own })).status).toBe(200)
  // The port of a port forwarding differs from the console's.
  const forwarded = { host: "localhost:9999", origin: "http://localhost:9999" }
  expect((await browser.open(...write, { headers: forwarded })).status).toBe(200)
})

test("a request with an API key ignores the cookie, and needs no CSRF token", async () => {
  const { cookie } = await signedIn("operate")
  const reader = await console.keyWith("read")
  const call = (key: string) =>
    console.call(...write, { key, headers: { cookie, origin: "https://dashboards.example" } })
  expect(await call(reader)).toMatchObject({ status: 403, json: { code: "missing-scope" } })
  expect((await call(console.key)).status).toBe(200)
  expect(await call("swk_wrong")).toMatchObject({ status: 401, json: { code: "invalid-api-key" } })
})

test("a session and its streams end at once with its key", async () => {
  const revoked = await signedIn("read")
  const expired = await signedIn("read")
  const streams = await Promise.all([revoked, expired].map(({ cookie }) => openStream(cookie)))
  const other = await openStream((await signedIn("read")).cookie)
  for (const { browser } of [revoked, expired])
    expect((await browser.open("GET", "/v1/channels")).status).toBe(200)

  await console.call("DELETE", `/v1/keys/${revoked.id}`)
  await sql("update api_key set expires_at = now() where id = $1", [expired.id])
  for (const { browser } of [revoked, expired]) {
    const page = await browser.open("GET", "/v1/channels")
    expect(page).toMatchObject({ status: 401, json: { code: "invalid-session" } })
    expect(page.headers.get("www-authenticate")).toBe('Bearer realm="sitewire"')
    expect((await browser.open("GET", "/session")).status).toBe(401)
  }
  for (const stream of streams) {
    expect((await stream.next("end")).data).toEqual({ reason: "key-invalid" })
    await waitUntil("the end", stream.ended)
  }
  expect(other.ended()).toBe(false)
})

test("a session ends after its lifetime, and with it its streams", async () => {
  const { browser, cookie, id } = await signedIn("read")
  const stream = await openStream(cookie)
  await sql("update session set expires_at = now() where key_id = $1", [id])
  expect((await browser.open("GET", "/v1/channels")).status).toBe(401)
  expect((await stream.next("end")).data).toEqual({ reason: "key-invalid" })
})

test("a session of a key that ends earlier ends with the key", async () => {
  const expires_at = new Date(Date.now() + 60_000)
  const { key } = await createApiKey({ prisma: console.prisma, name: "short", scopes: ["read"], expires_at })
  const page = await openBrowser(console.origin).signIn({ key })
  expect(page.json.expires_at).toBe(expires_at.toISOString())
  expect(new Date(/Expires=([^;]+)/.exec(page.cookies[0] ?? "")?.[1] ?? "").getTime()).toBeLessThanOrEqual(
    expires_at.getTime(),
  )
})

test("signing out ends the session and its streams, and removes the cookie", async () => {
  const { browser, cookie } = await signedIn("read")
  const stream = await openStream(cookie)
  const without = await browser.open("DELETE", "/session", { headers: { "x-csrf-token": "" } })
  expect(without).toMatchObject({ status: 403, json: { code: "invalid-csrf-token" } })
  const page = await browser.open("DELETE", "/session")
  expect(page).toMatchObject({ status: 204, text: "" })
  expect(page.cookies[0]).toMatch(/^sitewire_session=; Path=\/; Expires=Thu, 01 Jan 1970/)
  expect(browser.jar.size).toBe(0)
  const stolen = await browser.open("GET", "/v1/channels", { headers: { cookie } })
  expect(stolen.status).toBe(401)
  expect((await stream.next("end")).data).toEqual({ reason: "key-invalid" })
  expect((await browser.open("DELETE", "/session")).status).toBe(204)
})

test("signing in ends the session that the browser had before, and only that", async () => {
  const { id, browser, cookie } = await signedIn("read")
  const other = await signedIn("read")
  const stream = await openStream(cookie)
  const { key } = await keyOf("second", "operate")
  expect((await browser.signIn({ key: "swk_wrong" })).status).toBe(401)
  expect((await browser.open("GET", "/session")).status).toBe(200)

  expect((await browser.signIn({ key })).json).toMatchObject({ name: "second" })
  const stolen = await openBrowser(console.origin).open("GET", "/v1/channels", { headers: { cookie } })
  expect(stolen.status).toBe(401)
  expect((await stream.next("end")).data).toEqual({ reason: "key-invalid" })
  for (const { status } of [
    await browser.open("GET", "/session"),
    await other.browser.open("GET", "/session"),
  ])
    expect(status).toBe(200)
  expect((await console.call("GET", `/v1/audit?key=${id}`)).json.data).toMatchObject([
    { operation: "signOut" },
    { operation: "signIn" },
  ])
})

test("a mistyped key, link or cookie costs no query", async () => {
  const target = new URL(process.env.DATABASE_URL ?? "")
  const proxy = await severableProxy({ host: target.hostname, port: Number(target.port) })
  const offline = await startConsole({
    databaseUrl: (text) => Object.assign(new URL(text), { host: `127.0.0.1:${proxy.port}` }).href,
  })
  onTestFinished(async () => {
    await offline.close()
    proxy.close()
  })
  proxy.sever()
  const mistyped = (prefix: string) => `${prefix}_${"A".repeat(49)}`
  const send = async (sent: { body?: object; cookie?: string; path?: string }) => {
    const { body, cookie = "", path = "/session" } = sent
    const options = { ...(body ? { body } : {}), headers: { cookie: `sitewire_session=${cookie}` } }
    return (await openBrowser(offline.origin).open(body ? "POST" : "GET", path, options)).status
  }
  expect(await send({ cookie: newSecret("swc") })).toBe(503)
  expect(await send({ cookie: mistyped("swc") })).toBe(401)
  expect(await send({ body: { key: newSecret("swk") } })).toBe(503)
  expect(await send({ body: { key: mistyped("swk") } })).toBe(401)
  for (const path of ["/session", "/session/link"]) {
    expect(await send({ path, body: { link: newSecret("swl") } }), path).toBe(503)
    expect(await send({ path, body: { link: mistyped("swl") } }), path).toBe(401)
  }
})

test("the sign-ins of a key count towards its limit of requests", async () => {
  const limited = await startConsole({ rate: { requestsPerMinute: 5 } })
  onTestFinished(() => limited.close())
  const { key } = await createApiKey({ prisma: limited.prisma, name: "script", scopes: ["read"] })
  expect((await limited.call("GET", "/v1/channels", { key })).status).toBe(200)
  const pages = await Promise.all(
    Array.from({ length: 6 }, () => openBrowser(limited.origin).signIn({ key })),
  )
  expect(pages.map(({ status }) => status).toSorted()).toEqual([...Array(4).fill(200), 429, 429])
  const rejected = pages.find(({ status }) => status === 429)
  expect(rejected).toMatchObject({ json: { code: "too-many-requests" }, cookies: [] })
  expect(Number(rejected?.headers.get("retry-after"))).toBeGreaterThan(0)
  expect(await limited.pool.sql("select id from session")).toHaveLength(4)
  // Other keys have limits of their own.
  expect((await openBrowser(limited.origin).signIn({ key: limited.key })).status).toBe(200)
})

test("sign-ins, sign-outs and links are in the audit log, without secrets", async () => {
  const { browser, id, cookie } = await signedIn("operate")
  await browser.open("DELETE", "/session")
  const { json, text } = await console.call("GET", `/v1/audit?key=${id}`)
  const [session] = await sql<{ id: string }>(
    "select target_id as id from audit_entry where key_id = $1 limit 1",
    [id],
  )
  const target = { kind: "session", id: session?.id }
  expect(json.data).toMatchObject([
    { operation: "signOut", target, key: { id, name: "acme's developers" } },
    { operation: "signIn", target, changes: { method: { old: null, new: "key" } } },
  ])
  expect(text).not.toContain(cookie.split("=")[1])
})

test.each([[{}], [{ key: "a", link: "b" }], [{ key: 1 }], [{ key: "swk_", more: 1 }], [[]]])(
  "the sign-in %j is invalid",
  async (body) => {
    const page = await openBrowser(console.origin).open("POST", "/session", { body })
    expect(page).toMatchObject({ status: 400, json: { code: "invalid-request" }, cookies: [] })
  },
)

test("another method than GET, HEAD, POST and DELETE is a 405", async () => {
  const page = await openBrowser(console.origin).open("PUT", "/session")
  expect(page).toMatchObject({ status: 405, json: { code: "method-not-allowed" } })
  expect(page.headers.get("allow")).toBe("GET, HEAD, POST, DELETE")
})

function openStream(cookie: string) {
  const stream = readStream(`${console.origin}/v1/stream`, { cookie })
  onTestFinished(async () => (await stream).close())
  return stream
}
