import { waitUntil } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startConsole, type TestConsole } from "../../test/fixtures/startConsole.ts"

let console: TestConsole
beforeAll(async () => {
  console = await startConsole()
})
afterAll(() => console.close())

test("a key is created, shown once, used, listed and revoked", async () => {
  const body = { name: "acme's developers", scopes: ["read"] }
  const made = await console.call("POST", "/v1/keys", { body })
  expect(made.status).toBe(201)
  const { key, ...shown } = made.json
  expect(shown).toMatchObject({ ...body, expires_at: null, last_used_at: null, revoked_at: null })
  expect((await console.call("GET", "/v1/channels", { key: String(key) })).status).toBe(200)

  const read = await console.call("GET", `/v1/keys/${made.json.id}`)
  expect(read.json).toEqual({ ...shown, last_used_at: expect.any(String) })
  const listed = await console.call("GET", "/v1/keys")
  expect(listed.json.data).toContainEqual(read.json)
  expect(read.text + listed.text + console.log.join("")).not.toContain(String(key))

  const revoked = await console.call("DELETE", `/v1/keys/${made.json.id}`)
  expect(revoked.json).toMatchObject({ id: made.json.id, revoked_at: expect.any(String) })
  expect((await console.call("GET", "/v1/channels", { key: String(key) })).status).toBe(401)
  expect((await console.call("DELETE", `/v1/keys/${made.json.id}`)).json).toEqual(revoked.json)
  expect((await console.call("DELETE", "/v1/keys/none")).status).toBe(404)
})

test("an expired key is rejected", async () => {
  const expires_at = new Date(Date.now() + 1_000).toISOString()
  const made = await console.call("POST", "/v1/keys", {
    body: { name: "short", scopes: ["read"], expires_at },
  })
  expect(made.json.expires_at).toBe(expires_at)
  await waitUntil("the key to expire", async () => {
    const { status, json } = await console.call("GET", "/v1/channels", { key: String(made.json.key) })
    if (status === 401) expect(json.code).toBe("invalid-api-key")
    return status === 401
  })
  const past = await console.call("POST", "/v1/keys", {
    body: { name: "past", scopes: ["read"], expires_at: "2020-01-01T00:00:00Z" },
  })
  expect(past.json.errors).toEqual([{ field: "expires_at", message: "expires_at must be in the future" }])
})

test.each([["owner"], ["channel:"], ["channel:a b"], ["site:https://x.example"], ["site:UPPER.example"]])(
  "the scope %s is rejected by name",
  async (scope) => {
    const rejected = await console.call("POST", "/v1/keys", { body: { name: "x", scopes: [scope] } })
    expect(rejected.status).toBe(400)
    expect(JSON.stringify(rejected.json.errors)).toContain(
      "must be read, operate, personal-data, admin, publisher, channel:<id>, site:<host> or connection:<id>",
    )
  },
)

test("every key reads itself, whatever its scopes", async () => {
  for (const scope of ["read", "publisher", "channel:acme", "connection:bakery"]) {
    const key = await console.keyWith(scope)
    const { status, json, text } = await console.call("GET", "/v1/keys/current", { key })
    expect({ status, scopes: json.scopes }).toEqual({ status: 200, scopes: [scope] })
    expect(text).not.toContain(key)
  }
  expect((await console.call("GET", "/v1/keys/current", { key: null })).status).toBe(401)
})

test("a scope for a channel, a connection or a site that does not exist is rejected by name", async () => {
  const create = (...scopes: string[]) => console.call("POST", "/v1/keys", { body: { name: "k", scopes } })
  await console.call("POST", "/v1/channels", { body: { id: "acme", address: "https://partner.example/" } })
  const source = "https://source.example/"
  await console.call("POST", "/v1/connections", { body: { id: "bakery", site: "bakery.example", source } })
  const known = ["channel:acme", "connection:bakery", "site:bakery.example"]
  expect((await create("read", ...known)).status).toBe(201)
  for (const unknown of ["channel:acmee", "connection:bakery-1", "site:bakery.exmaple"]) {
    const rejected = await create(...known, unknown)
    expect(rejected).toMatchObject({ status: 400, json: { errors: [{ field: "scopes" }] } })
    expect(rejected.text).toContain(`does not exist: ${unknown}.`)
  }
})

test("of a creation of a key and a deletion of its channel at the same time, the channel leaves no key", async () => {
  for (let round = 0; round < 8; round++) {
    const id = `race-${round}`
    await console.call("POST", "/v1/channels", { body: { id, address: "https://partner.example/" } })
    await Promise.all([
      console.call("POST", "/v1/keys", { body: { name: "k", scopes: [`channel:${id}`] } }),
      console.call("DELETE", `/v1/channels/${id}`),
    ])
    const left = "select id from api_key where $1 = any(scopes) and revoked_at is null"
    expect(await console.pool.sql(left, [`channel:${id}`])).toEqual([])
  }
})
