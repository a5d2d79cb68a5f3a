import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { openPool } from "@sitewire/database"
import { freshDatabase } from "@sitewire/testkit"
import { expect, test } from "vitest"

test("the command prints a key and nothing else", async () => {
  const database = await freshDatabase()
  const result = await run(["--name", "ops", "--scopes", "operate"], { DATABASE_URL: database.url })
  expect(result).toMatchObject({ code: 0, stderr: "" })
  expect(result.stdout).toMatch(/^swk_[\w-]{49}\n$/)
  await database.drop()
})

test("a key for a channel that does not exist is not created", async () => {
  const database = await freshDatabase()
  const args = ["--name", "acme", "--scopes", "read,channel:acmee"]
  const result = await run(args, { DATABASE_URL: database.url })
  expect(result).toMatchObject({ code: 1, stdout: "" })
  expect(result.stderr).toContain("does not exist: channel:acmee.")
  await database.drop()
})

test("a key that cannot be printed is not created", async () => {
  const database = await freshDatabase()
  const child = startCreateKey(["--name", "ops", "--scopes", "operate"], { DATABASE_URL: database.url })
  child.stdout.destroy()
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, "close")])
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(
      /^The key was not created: standard output cannot be written \(.*EPIPE\)[^\n]*\n$/,
    ),
  })
  const pool = openPool({ url: database.url, size: 1, name: "create-key-test" })
  expect(await pool.sql("select from api_key")).toEqual([])
  await pool.close()
  await database.drop()
})

test("the command explains its arguments, and what went wrong", async () => {
  const noName = await run([], {})
  expect(noName.code).toBe(2)
  expect(noName.stderr).toContain("--name")
  const noDatabase = await run(["--name", "ops", "--scopes", "operate"], {})
  expect(noDatabase.code).toBe(1)
  expect(noDatabase.stderr).toContain("DATABASE_URL")
  expect((await run(["--help"], {})).code).toBe(0)
  const unreachable = await run(["--name", "ops", "--scopes", "operate"], {
    DATABASE_URL: "postgresql://x:hidden@127.0.0.1:1/x",
  })
  expect(unreachable.code).toBe(1)
  expect(unreachable.stderr).toMatch(
    /^The key was not created: .*ECONNREFUSED.*\nCheck DATABASE_URL, and that the setup/,
  )
  expect(unreachable.stderr).not.toContain("hidden")
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
  const file = fileURLToPath(new URL("createKey.ts", import.meta.url))
  return spawn(process.execPath, [file, ...args], { env: { PATH: process.env.PATH, ...env } })
}
