import { afterAll, beforeAll, expect, test } from "vitest"
import { startConsole, type TestConsole } from "../../test/fixtures/startConsole.ts"
import { routes } from "../api/routes.ts"
import { createApiKey } from "./apiKey.ts"

let console: TestConsole
beforeAll(async () => {
  console = await startConsole()
})
afterAll(() => console.close())

test("every route that is not public responds 401 without a valid API key, before it reads the request", async () => {
  const invented = `swk_${"A".repeat(43)}`
  for (const route of routes.filter((one) => one.allow !== "anyone")) {
    const path = route.path.replace("{id}", "00000000-0000-4000-8000-000000000000")
    const missing = await console.call(route.method.toUpperCase(), path, { key: null })
    expect(missing.status, path).toBe(401)
    expect(missing.headers.get("www-authenticate")).toBe('Bearer realm="sitewire"')
    const wrong = await console.call(route.method.toUpperCase(), path, { key: invented })
    expect(wrong.status, path).toBe(401)
    expect(wrong.headers.get("www-authenticate")).toContain('error="invalid_token"')
  }
  expect(routes.filter((one) => one.allow === "anyone").map((one) => one.path)).toEqual([
    "/problems",
    "/problems/{code}",
    "/openapi.json",
    "/",
  ])
})

test.each([["Basic c3drOg=="], ["Bearer"], ["Bearer  "], ["Bearer swk_short"]])(
  "the header %s contains no API key",
  async (authorization) => {
    const rejected = await console.call("GET", "/v1/channels", { key: null, headers: { authorization } })
    expect(rejected.status).toBe(401)
  },
)

test("only the key's hash is stored, and the key is not logged", async () => {
  const { id, key } = await createApiKey({ prisma: console.prisma, name: "ops", scopes: ["operate"] })
  expect(key).toMatch(/^swk_[\w-]{49}$/)
  expect((await console.call("GET", "/v1/channels", { key })).status).toBe(200)
  const stored = await console.pool.sql("select api_key::text as row from api_key")
  expect(JSON.stringify(stored)).not.toContain(key)
  expect(console.log.join("")).not.toContain(key)
  expect(console.log.join("")).toContain(`"apiKey":"${id}"`)
})

test("a revoked key is rejected at once", async () => {
  const { id, key } = await createApiKey({ prisma: console.prisma, name: "leaver", scopes: ["operate"] })
  expect((await console.call("GET", "/v1/channels", { key })).status).toBe(200)
  await console.prisma.apiKey.update({ where: { id }, data: { revoked_at: new Date() } })
  expect((await console.call("GET", "/v1/channels", { key })).status).toBe(401)
})
