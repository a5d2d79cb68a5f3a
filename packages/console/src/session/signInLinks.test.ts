import { afterAll, beforeAll, expect, test } from "vitest"
import { openBrowser } from "../../test/fixtures/browser.ts"
import { startConsole, type TestConsole } from "../../test/fixtures/startConsole.ts"
import { createApiKey } from "../auth/apiKey.ts"

let console: TestConsole
beforeAll(async () => {
  console = await startConsole()
})
afterAll(() => console.close())

async function createLink(...scopes: string[]) {
  const key = await createApiKey({ prisma: console.prisma, name: "acme's developers", scopes })
  const { status, json } = await console.call("POST", "/v1/sign-in-links", { key: key.key })
  expect(status).toBe(200)
  const [origin, link = ""] = String(json.url).split("/sign-in#link=")
  return { origin, link, keyId: key.id, id: String(json.id), expiresAt: new Date(String(json.expires_at)) }
}

const use = (link: string) => openBrowser(console.origin).signIn({ link })
const rejected = { status: 401, json: { code: "sign-in-rejected" }, cookies: [] }

test("a link signs in once, with the scopes of the key that created it", async () => {
  const { origin, link, keyId, id, expiresAt } = await createLink("channel:acme")
  expect(origin).toBe(console.origin)
  expect(link).toMatch(/^swl_[\w-]{49}$/)
  const minutes = (expiresAt.getTime() - Date.now()) / 60_000
  expect(Math.round(minutes)).toBe(10)
  const stored = JSON.stringify(await console.pool.sql("select sign_in_link::text as row from sign_in_link"))

  const page = await use(link)
  expect(page).toMatchObject({ status: 200, json: { name: "acme's developers", scopes: ["channel:acme"] } })
  expect(await use(link)).toMatchObject(rejected)

  const { json, text } = await console.call("GET", `/v1/audit?key=${keyId}`)
  expect(json.data).toMatchObject([
    { operation: "signIn", changes: { method: { new: "link" }, sign_in_link: { new: id } } },
    { operation: "createSignInLink", target: { kind: "sign_in_link", id } },
  ])
  expect(stored + text + console.log.join("")).not.toContain(link)
})

test("a page can ask as whom a link signs in, and the link remains; pages of another origin cannot", async () => {
  const { link } = await createLink("channel:acme")
  const browser = openBrowser(console.origin)
  const look = (headers = {}) => browser.open("POST", "/session/link", { body: { link }, headers })
  for (const _ of [1, 2])
    expect(await look()).toMatchObject({
      status: 200,
      json: { name: "acme's developers", scopes: ["channel:acme"] },
      cookies: [],
    })
  expect(await look({ origin: "https://evil.example" })).toMatchObject({ status: 403 })
  expect((await use(link)).status).toBe(200)
  expect(await look()).toMatchObject(rejected)
})

test("of many browsers that open a link at the same time, one is signed in", async () => {
  const { link } = await createLink("read")
  const pages = await Promise.all(Array.from({ length: 3 }, () => use(link)))
  expect(pages.map(({ status }) => status).toSorted()).toEqual([200, 401, 401])
})

test("a link ends after ten minutes, and with its key", async () => {
  const old = await createLink("read")
  await console.pool.sql("update sign_in_link set expires_at = now() where id = $1", [old.id])
  expect(await use(old.link)).toMatchObject(rejected)
  const revoked = await createLink("read")
  await console.call("DELETE", `/v1/keys/${revoked.keyId}`)
  expect(await use(revoked.link)).toMatchObject(rejected)
  for (const link of ["", "swl_", `swl_${"A".repeat(43)}`]) expect(await use(link)).toMatchObject(rejected)
})

test("a session cannot create links, because a link belongs to an API key", async () => {
  const browser = openBrowser(console.origin)
  await browser.signIn({ key: console.key })
  expect(await browser.open("POST", "/v1/sign-in-links")).toMatchObject({
    status: 403,
    json: { code: "key-required" },
  })
})

test("links lead to CONSOLE_ORIGIN, and without it to a loopback address", async () => {
  const secure = await startConsole({ consoleOrigin: "https://console.example" })
  const { json } = await secure.call("POST", "/v1/sign-in-links")
  expect(json.url).toMatch(/^https:\/\/console\.example\/sign-in#link=/)
  await secure.close()
  const inCluster = await openBrowser(console.origin).open("POST", "/v1/sign-in-links", {
    headers: { host: "console:8090", authorization: `Bearer ${console.key}` },
  })
  expect(inCluster.json.url).toMatch(/^http:\/\/127\.0\.0\.1:8090\/sign-in#link=/)
})
