import { afterEach, beforeAll, expect, test, vi } from "vitest"
import { openBrowser, type Page } from "../../test/fixtures/browser.ts"
import { readStream } from "../../test/fixtures/readStream.ts"
import { startConsole } from "../../test/fixtures/startConsole.ts"
import { client, startOpenIdProvider } from "../../test/fixtures/startOpenIdProvider.ts"
import { createApiKey } from "../auth/apiKey.ts"
import { openIdProvider } from "./openIdProvider.ts"

// oidc-provider warns at each start that its defaults are not for production.
beforeAll(() => {
  for (const method of ["info", "warn"] as const) vi.spyOn(console, method).mockImplementation(() => {})
})

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

type Settings = Partial<Parameters<typeof openIdProvider>[0]> & {
  authentication?: "client_secret_post" | "client_secret_basic"
  served?: boolean
}

async function start({ authentication = "client_secret_basic", served = true, ...more }: Settings = {}) {
  const provider = await startOpenIdProvider()
  const { issuer } = provider
  const console = await startConsole({
    provider: openIdProvider({
      issuer,
      clientId: client.id,
      clientSecret: client.secret,
      scopesClaim: "sitewire_scopes",
      ...more,
    }),
  })
  closing.push(
    () => provider.close(),
    () => console.close(),
  )
  const redirectUri = `${console.origin}/session/oidc/callback`
  const serve = () => provider.serve({ redirectUri, authentication })
  if (served) serve()

  const browser = openBrowser(console.origin)
  /** Goes from the provider's page back to the console. Returns the URL of the console that the browser opens. */
  async function atProvider(url: string): Promise<URL> {
    const there = openBrowser(issuer)
    for (let location = url; ; ) {
      const page = await there.open("GET", location)
      location = new URL(page.headers.get("location") ?? "", issuer).href
      expect(location, page.text).not.toBe(`${issuer}/`)
      if (location.startsWith(console.origin)) return new URL(location)
    }
  }
  const begin = async (query = "") => {
    const page = await browser.open("GET", `/session/oidc${query}`)
    expect(page.status, page.text).toBe(302)
    return { page, url: new URL(page.headers.get("location") ?? "") }
  }
  const end = (url: URL, headers: Record<string, string> = {}) =>
    browser.open("GET", `${url.pathname}${url.search}`, { headers })
  async function signIn(query?: string): Promise<Page> {
    return end(await atProvider((await begin(query)).url.href))
  }
  return { console, provider, serve, browser, atProvider, begin, end, signIn }
}

test("a user signs in with the scopes of the claim, and writes are audited with the user's name", async () => {
  const { console, provider, browser, begin, end, atProvider } = await start()
  provider.user = {
    sub: "user-1",
    name: "Ada Lovelace",
    email: "ada@partner.example",
    sitewire_scopes: ["operate", "staff", "channel:bad id"],
  }
  const { page, url } = await begin()
  expect(page.cookies).toHaveLength(1)
  expect(page.cookies[0]).toMatch(
    /^sitewire_oidc=[\w-]+; Max-Age=600; Path=\/; Expires=.*; HttpOnly; SameSite=Lax$/,
  )
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    client_id: client.id,
    redirect_uri: `${console.origin}/session/oidc/callback`,
    response_type: "code",
    scope: "openid profile",
    code_challenge_method: "S256",
  })
  const back = await atProvider(url.href)
  const ended = await end(back, { "sec-fetch-site": "cross-site" })
  expect(ended.status).toBe(200)
  expect(ended.text).toContain(`<meta http-equiv="refresh" content="0; url=/">`)
  expect(ended.cookies).toEqual([
    expect.stringMatching(/^sitewire_oidc=; /),
    expect.stringMatching(/^sitewire_session=swc_[\w-]{49}; Path=\/; Expires=.*; HttpOnly; SameSite=Strict$/),
  ])

  const { json: session } = await browser.open("GET", "/session")
  expect(session).toMatchObject({
    name: "Ada Lovelace",
    scopes: ["operate"],
    sign_in: { key: true, oidc: true },
  })
  const body = { id: "acme", address: "https://partner.example/" }
  const headers = { "x-csrf-token": String(session.csrf_token) }
  expect((await browser.open("POST", "/v1/channels", { body })).status).toBe(403)
  expect((await browser.open("POST", "/v1/channels", { body, headers })).status).toBe(201)
  const { json: audit, text } = await console.call("GET", "/v1/audit")
  const key = { id: expect.stringMatching(/^usr_[0-9a-f]{20}$/), name: "Ada Lovelace" }
  expect(audit.data).toMatchObject([
    { operation: "createChannel", key },
    { operation: "signIn", key, changes: { method: { new: "oidc" }, scopes: { new: ["operate"] } } },
  ])
  expect((await browser.open("GET", "/v1/keys/current")).status).toBe(404)
  expect((await browser.open("POST", "/v1/sign-in-links", { headers })).json).toMatchObject({
    code: "key-required",
  })

  const stored = JSON.stringify(await console.pool.sql("select session::text as row from session"))
  const code = back.searchParams.get("code") ?? ""
  expect(code.length).toBeGreaterThan(20)
  for (const secret of ["ada@partner.example", code, client.secret]) {
    expect(text + stored + console.log.join("")).not.toContain(secret)
  }
  // The same response of the provider again.
  expect(await end(back)).toMatchObject({ status: 401, json: { code: "sign-in-rejected" } })
})

test("a provider that authenticates clients by the request's body is used in this way", async () => {
  const { provider, signIn, browser } = await start({ authentication: "client_secret_post" })
  provider.user = { sub: "user-2", sitewire_scopes: "channel:acme site:shop.example" }
  expect((await signIn()).status).toBe(200)
  expect((await browser.open("GET", "/session")).json).toMatchObject({
    name: "user-2",
    scopes: ["channel:acme", "site:shop.example"],
  })
})

test("the claim with the scopes is configurable", async () => {
  const { provider, signIn, browser } = await start({ scopesClaim: "groups" })
  provider.user = { sub: "user-3", groups: ["read"], sitewire_scopes: ["operate"] }
  expect((await signIn()).status).toBe(200)
  expect((await browser.open("GET", "/session")).json.scopes).toEqual(["read"])
})

test("a user who is signed in loses a deleted channel, as keys do", async () => {
  const { console, provider, signIn, browser } = await start()
  for (const id of ["acme", "other"])
    await console.call("POST", "/v1/channels", { body: { id, address: "https://partner.example/" } })
  provider.user = { sub: "user-1", sitewire_scopes: ["channel:acme", "channel:other"] }
  expect((await signIn()).status).toBe(200)
  const stream = await readStream(`${console.origin}/v1/stream`, {
    cookie: `sitewire_session=${browser.jar.get("sitewire_session")}`,
  })
  await stream.next("heartbeat")
  await console.call("DELETE", "/v1/channels/acme")
  expect((await stream.next("end")).data).toEqual({ reason: "key-invalid" })
  expect((await browser.open("GET", "/session")).json.scopes).toEqual(["channel:other"])
})

test("a sign-in returns to a path of the console only", async () => {
  const { provider, signIn } = await start()
  provider.user = { sub: "user-1", sitewire_scopes: ["read"] }
  for (const [returnTo, path] of [
    ["/deliveries?state=dead#top", "/deliveries?state=dead#top"],
    ["https://evil.example/", "/"],
    ["//evil.example/", "/"],
    ["/\\evil.example/", "/"],
    ["/.//evil.example/", "/"],
    [`/"><script>`, "/%22%3E%3Cscript%3E"],
  ]) {
    const page = await signIn(`?return_to=${encodeURIComponent(returnTo ?? "")}`)
    expect(page.text, returnTo).toContain(`content="0; url=${path?.replace("&", "&amp;")}">`)
    expect(page.text).not.toMatch(/<script|evil/)
  }
})

test("a sign-in ends the session that the browser had when it began", async () => {
  const { console, provider, browser, begin, end, atProvider } = await start()
  provider.user = { sub: "user-1", sitewire_scopes: ["read"] }
  const scopes = Array.from({ length: 50 }, (_, n) => `channel:${String(n).padStart(64, "x")}`)
  const { key } = await createApiKey({ prisma: console.prisma, name: "many", scopes })
  await browser.signIn({ key })
  const before = `sitewire_session=${browser.jar.get("sitewire_session")}`
  const statusOf = async (cookie: string) =>
    (await openBrowser(console.origin).open("GET", "/session", { headers: { cookie } })).status
  const { page, url } = await begin()
  // Browsers ignore longer cookies.
  expect(page.cookies[0]?.length).toBeLessThan(4_096)
  const back = await atProvider(url.href)
  expect(await statusOf(before)).toBe(200)
  // The provider's page sends the browser back, so the browser does not send the cookie of the session.
  const ended = await end(back, { cookie: `sitewire_oidc=${browser.jar.get("sitewire_oidc")}` })
  expect(ended.status).toBe(200)
  expect(await statusOf(before)).toBe(401)
  expect((await browser.open("GET", "/session")).json.scopes).toEqual(["read"])
})

test("a response with another state, or in another browser, is rejected before the provider is asked", async () => {
  const { console, provider, begin, end, atProvider, browser } = await start()
  provider.user = { sub: "user-1", sitewire_scopes: ["operate"] }
  const rejected = { status: 401, json: { code: "sign-in-rejected" } }
  const back = await atProvider((await begin()).url.href)
  const forged = new URL(back)
  forged.searchParams.set("state", "x".repeat(43))
  expect(await end(forged)).toMatchObject(rejected)
  const elsewhere = openBrowser(console.origin)
  expect(await elsewhere.open("GET", `${back.pathname}${back.search}`)).toMatchObject(rejected)
  const invented = { cookie: `sitewire_oidc=${Buffer.from("{}").toString("base64url")}` }
  expect(await elsewhere.open("GET", `${back.pathname}${back.search}`, { headers: invented })).toMatchObject(
    rejected,
  )
  expect(browser.jar.size).toBe(0)
  expect(elsewhere.jar.size).toBe(0)
})

test("an ID token with another nonce, and an invented code, are rejected", async () => {
  const { console, provider, begin, end, atProvider, browser } = await start()
  provider.user = { sub: "user-1", sitewire_scopes: ["operate"] }
  const { url } = await begin()
  url.searchParams.set("nonce", "of another sign-in")
  expect(await end(await atProvider(url.href))).toMatchObject({
    status: 401,
    json: { code: "sign-in-rejected" },
  })
  expect(console.log.join("")).toContain("OAUTH_JWT_CLAIM_COMPARISON_FAILED")

  const back = await atProvider((await begin()).url.href)
  back.searchParams.set("code", "x".repeat(43))
  expect(await end(back)).toMatchObject({ status: 401, json: { code: "sign-in-rejected" } })
  expect(browser.jar.size).toBe(0)
})

test("an address that begins very many sign-ins must wait, and its sign-ins with keys need not", async () => {
  const { console, provider, browser } = await start()
  provider.user = { sub: "user-1", sitewire_scopes: ["operate"] }
  for (let n = 0; n < 60; n++) expect((await browser.open("GET", "/session/oidc")).status).toBe(302)
  const limited = { status: 429, json: { code: "too-many-sign-ins" } }
  for (const path of ["/session/oidc", "/session/oidc/callback?code=x&state=y"])
    expect(await browser.open("GET", path)).toMatchObject(limited)
  expect((await openBrowser(console.origin).signIn({ key: console.key })).status).toBe(200)
})

test("a user who declines gets a page that says so", async () => {
  const { begin, end, atProvider } = await start()
  const { url } = await begin()
  url.searchParams.set("prompt", "none")
  const declined = await atProvider(url.href)
  expect(declined.searchParams.get("error")).toBe("login_required")
  const page = await end(declined, { accept: "text/html" })
  expect(page.status).toBe(401)
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8")
  expect(page.text).toContain(`<a href="/sign-in">`)
})

test("a user without a scope gets no session", async () => {
  const { console, provider, signIn, browser } = await start()
  for (const sitewire_scopes of [undefined, [], ["staff"], { operate: true }]) {
    provider.user = { sub: "user-1", name: "Nobody", sitewire_scopes }
    expect(await signIn()).toMatchObject({ status: 403, json: { code: "no-roles" } })
  }
  expect(browser.jar.size).toBe(0)
  expect(await console.pool.sql("select from session")).toEqual([])
  expect(await console.pool.sql("select from audit_entry")).toEqual([])
})

test("while the provider is unavailable, sign-ins with a key succeed; once it has recovered, its users sign in", async () => {
  const { console, provider, serve, browser, signIn, begin, end, atProvider } = await start({ served: false })
  const unavailable = { status: 503, json: { code: "provider-unavailable" } }
  expect(await browser.open("GET", "/session/oidc")).toMatchObject(unavailable)
  expect((await openBrowser(console.origin).signIn({ key: console.key })).status).toBe(200)
  serve()
  provider.user = { sub: "user-1", sitewire_scopes: ["read"] }
  expect((await signIn()).status).toBe(200)
  const back = await atProvider((await begin()).url.href)
  await provider.close()
  expect(await end(back)).toMatchObject(unavailable)
})

test("a console with a wrong client secret, or a wrong issuer, reports the provider as unavailable", async () => {
  const { console, signIn } = await start({ clientSecret: "wrong" })
  expect(await signIn()).toMatchObject({ status: 503, json: { code: "provider-unavailable" } })
  expect(console.log.join("")).toContain("OAUTH_WWW_AUTHENTICATE_CHALLENGE")
  const other = await start({ issuer: console.origin })
  expect((await other.browser.open("GET", "/session/oidc")).status).toBe(503)
})

test("without OpenID Connect, its paths do not exist", async () => {
  const console = await startConsole()
  closing.push(() => console.close())
  for (const path of ["/session/oidc", "/session/oidc/callback"])
    expect((await console.call("GET", path)).json).toMatchObject({ code: "unknown-path" })
})
