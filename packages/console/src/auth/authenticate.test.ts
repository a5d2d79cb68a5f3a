import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { openPool } from "@sitewire/database"
import { freshDatabase } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startConsole, type TestConsole } from "../../test/fixtures/startConsole.ts"
import { createApiKey } from "./apiKey.ts"
import { routes } from "../api/routes.ts"

let console: TestConsole
beforeAll(async () => {
  console = await startConsole()
})
afterAll(() => console.close())

test("every route but the open ones answers 401 without a valid key, before it looks at anything", async () => {
  const invented = `swk_${"A".repeat(43)}`
  for (const route of routes.filter((one) => !one.open)) {
    const path = route.path.replace("{id}", "00000000-0000-4000-8000-000000000000")
    const without = await console.call(route.method.toUpperCase(), path, { key: null })
    expect(without.status, path).toBe(401)
    expect(without.headers.get("www-authenticate")).toBe('Bearer realm="sitewire"')
    const wrong = await console.call(route.method.toUpperCase(), path, { key: invented })
    expect(wrong.status, path).toBe(401)
    expect(wrong.headers.get("www-authenticate")).toContain('error="invalid_token"')
  }
  expect(routes.filter((one) => one.open).map((one) => one.path)).toEqual(["/openapi.json", "/"])
})

test.each([["Basic c3drOg=="], ["Bearer"], ["Bearer  "], ["Bearer swk_short"]])(
  "the header %s is no key",
  async (authorization) => {
    const refused = await console.call("GET", "/v1/channels", { key: null, headers: { authorization } })
    expect(refused.status).toBe(401)
  },
)

test("only the key's hash is kept, and neither reaches the log", async () => {
  const { id, key } = await createApiKey({ prisma: console.prisma, name: "ops" })
  expect(key).toMatch(/^swk_[\w-]{43}$/)
  expect((await console.call("GET", "/v1/channels", { key })).status).toBe(200)
  const stored = await console.pool.sql("select api_key::text as row from api_key")
  expect(JSON.stringify(stored)).not.toContain(key)
  expect(console.log.join("")).not.toContain(key)
  expect(console.log.join("")).toContain(`"apiKey":"${id}"`)
})

test("a revoked key is refused at once", async () => {
  const { id, key } = await createApiKey({ prisma: console.prisma, name: "leaver" })
  expect((await console.call("GET", "/v1/channels", { key })).status).toBe(200)
  await console.prisma.apiKey.update({ where: { id }, data: { revokedAt: new Date() } })
  expect((await console.call("GET", "/v1/channels", { key })).status).toBe(401)
})

test("the command makes a key that works and prints nothing else", async () => {
  const database = await freshDatabase()
  const result = await run(["--name", "ops"], { DATABASE_URL: database.url })
  expect(result).toMatchObject({ code: 0, stderr: "" })
  expect(result.stdout).toMatch(/^swk_[\w-]{43}\n$/)
  await database.drop()
})

test("a key that cannot be printed is not made", async () => {
  const database = await freshDatabase()
  const child = startCreateKey(["--name", "ops"], { DATABASE_URL: database.url })
  child.stdout.destroy()
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, "close")])
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(
      /^The key was not made: standard output cannot be written \(.*EPIPE\)[^\n]*\n$/,
    ),
  })
  const pool = openPool({ url: database.url, size: 1, name: "keys-test" })
  expect(await pool.sql("select from api_key")).toEqual([])
  await pool.close()
  await database.drop()
})

test("the command says what it needs, and what was wrong with it", async () => {
  const without = await run([], {})
  expect(without.code).toBe(2)
  expect(without.stderr).toContain("--name")
  const unset = await run(["--name", "ops"], {})
  expect(unset.code).toBe(1)
  expect(unset.stderr).toContain("DATABASE_URL")
  expect((await run(["--help"], {})).code).toBe(0)
  const nowhere = await run(["--name", "ops"], { DATABASE_URL: "postgresql://x:hidden@127.0.0.1:1/x" })
  expect(nowhere.code).toBe(1)
  expect(nowhere.stderr).toMatch(
    /^The key was not made: .*ECONNREFUSED.*\nCheck DATABASE_URL, and that the setup/,
  )
  expect(nowhere.stderr).not.toContain("hidden")
})

async function run(args: string[], env: Record<string, string>) {
  const child = startCreateKey(args, env)
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ])
  return { code, stdout, stderr }
}

function startCreateKey(args: string[], env: Record<string, string>) {
  const file = fileURLToPath(new URL("../tools/createKey.ts", import.meta.url))
  return spawn(process.execPath, [file, ...args], { env: { PATH: process.env.PATH, ...env } })
}
