import { waitUntil } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { openBrowser } from "../../test/fixtures/browser.ts"
import { startConsole, type TestConsole } from "../../test/fixtures/startConsole.ts"
import { createApiKey } from "../auth/apiKey.ts"
import { limitKeys } from "../retention/deleteOldRecords.ts"
import { createSignInLink } from "../session/signInLinks.ts"

let console: TestConsole
beforeAll(async () => {
  console = await startConsole()
})
afterAll(() => console.close())

async function signedIn(...scopes: string[]) {
  const { id, key } = await createApiKey({ prisma: console.prisma, name: "test", scopes })
  const browser = openBrowser(console.origin)
  expect((await browser.signIn({ key })).status).toBe(200)
  const list = async (query = "") =>
    (await browser.open("GET", `/v1/sessions${query}`)).json.data as {
      id: string
      owner: { id: string }
      current: boolean
    }[]
  return { keyId: id, browser, list }
}

test("whoever is signed in sees and ends only its own sessions; an administrator those of all", async () => {
  const partner = await signedIn("channel:acme")
  const other = await signedIn("read")
  const operator = await signedIn("admin")
  const [own] = await partner.list()
  expect(await partner.list()).toMatchObject([{ owner: { kind: "key", id: partner.keyId }, current: true }])
  expect(await partner.list(`?owner=${other.keyId}`)).toEqual([])
  expect((await operator.list()).map(({ owner }) => owner.id)).toEqual(
    expect.arrayContaining([partner.keyId, other.keyId, operator.keyId]),
  )
  const [foreign] = await other.list()
  expect((await partner.browser.open("DELETE", `/v1/sessions/${foreign?.id}`)).status).toBe(404)
  expect((await partner.browser.open("DELETE", `/v1/sessions?owner=${other.keyId}`)).json).toEqual({
    ended: 0,
  })
  expect((await other.browser.open("GET", "/session")).status).toBe(200)

  expect((await operator.browser.open("DELETE", `/v1/sessions/${own?.id}`)).json).toEqual({ ended: 1 })
  expect((await partner.browser.open("GET", "/session")).status).toBe(401)
  expect((await operator.browser.open("DELETE", `/v1/sessions?owner=${other.keyId}`)).json).toEqual({
    ended: 1,
  })
  expect((await other.browser.open("GET", "/session")).status).toBe(401)
  const audit = await console.call("GET", `/v1/audit?key=${operator.keyId}`)
  expect(audit.json.data).toMatchObject([
    { operation: "endSessions", target: { id: other.keyId }, changes: { ended: { new: 1 } } },
    { operation: "endSession", target: { id: own?.id } },
    { operation: "signIn" },
  ])
  await console.call("DELETE", "/v1/sessions")
  expect((await operator.browser.open("GET", "/session")).status).toBe(401)
})

test("a session that is not used ends, and each use postpones that", async () => {
  const { browser } = await signedIn("read")
  const age = (minutes: number) =>
    console.pool.sql("update session set last_used_at = now() - $1 * interval '1 minute'", [minutes])
  await age(119)
  expect((await browser.open("GET", "/session")).status).toBe(200)
  const [row] = await console.pool.sql(
    "select last_used_at > now() - interval '1 minute' as used from session",
  )
  expect(row).toEqual({ used: true })
  await age(121)
  expect((await browser.open("GET", "/session")).status).toBe(401)
  expect((await browser.open("GET", "/v1/channels")).status).toBe(401)
})

test("where keys may not sign in, neither they nor their links do, and their requests are served", async () => {
  const strict = await startConsole({ signInWithKey: false })
  onTestFinished(() => strict.close())
  const disabled = { status: 403, json: { code: "sign-in-disabled" } }
  const browser = openBrowser(strict.origin)
  expect((await browser.open("GET", "/session")).json).toMatchObject({ sign_in: { key: false, oidc: false } })
  expect(await browser.signIn({ key: strict.key })).toMatchObject(disabled)
  expect(await strict.call("POST", "/v1/sign-in-links")).toMatchObject(disabled)
  const { id } = await createApiKey({ prisma: strict.prisma, name: "acme's developers", scopes: ["read"] })
  const { token: link } = await createSignInLink(strict.pool.sql, id)
  expect(await browser.signIn({ link })).toMatchObject(disabled)
  expect(await browser.open("POST", "/session/link", { body: { link } })).toMatchObject(disabled)
  expect((await strict.call("GET", "/v1/channels")).status).toBe(200)
})

test("a policy limits how long keys are valid, those that exist included", async () => {
  const days = (count: number) => count * 86_400_000
  const strict = await startConsole({ keyMaxAgeMs: days(90) })
  onTestFinished(() => strict.close())
  const create = (more: object) =>
    strict.call("POST", "/v1/keys", { body: { name: "n", scopes: ["read"], ...more } })
  const { json } = await create({})
  expect(Date.parse(String(json.expires_at)) - Date.now()).toBeGreaterThan(days(89))
  const late = await create({ expires_at: new Date(Date.now() + days(91)).toISOString() })
  expect(late).toMatchObject({ status: 400, json: { errors: [{ field: "expires_at" }] } })
  const old = await createApiKey({ prisma: strict.prisma, name: "old", scopes: ["read"] })
  await strict.pool.sql("update api_key set created_at = now() - interval '91 days' where id = $1", [old.id])
  expect((await strict.call("GET", "/v1/channels", { key: old.key })).status).toBe(200)
  await limitKeys(strict.pool.sql, days(90))
  await waitUntil("the key to be rejected", async () => {
    return (await strict.call("GET", "/v1/channels", { key: old.key })).status === 401
  })
  expect((await strict.call("GET", "/v1/channels")).status).toBe(200)
})
