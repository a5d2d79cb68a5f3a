import { afterAll, beforeAll, expect, test } from "vitest"
import { startConsole, type TestConsole } from "../../../test/fixtures/startConsole.ts"

let console: TestConsole
beforeAll(async () => {
  console = await startConsole({ siteMaxConnections: 3 })
})
afterAll(() => console.close())

const create = (site: string, key: string) =>
  console.call("POST", "/v1/connections", { body: { site, source: "https://source.example/" }, key })

test("a site has so many connections at most, also if they are created at the same time", async () => {
  const key = await console.keyWith("site:full.example")
  const created = await Promise.all(Array.from({ length: 8 }, () => create("full.example", key)))
  expect(created.filter(({ status }) => status === 201)).toHaveLength(3)
  const rejected = await create("full.example", key)
  expect(rejected).toMatchObject({ status: 409, json: { code: "too-many-connections" } })
  expect(rejected.json.detail).toMatch(/has 3 connections.*SITE_MAX_CONNECTIONS.*Delete one/)
  expect((await create("full.example", console.key)).status).toBe(409)
  expect((await create("other.example", console.key)).status).toBe(201)
  const id = created.find(({ status }) => status === 201)?.json.id
  expect((await console.call("DELETE", `/v1/connections/${id}`, { key })).status).toBe(200)
  expect((await create("full.example", key)).status).toBe(201)
})
