import type { ApiKey, ConsoleSession, CreatedApiKey, Page, SignInLink } from "@sitewire/contracts"
import { afterAll, beforeAll, expect, test } from "vitest"
import { runCommand, runJson } from "./fixtures/runCommand.ts"
import { startConsole } from "./fixtures/startConsole.ts"

let system: Awaited<ReturnType<typeof startConsole>>
beforeAll(async () => {
  system = await startConsole()
})
afterAll(() => system?.stop())

const run = (args: string[], env: Record<string, string> = {}) =>
  runCommand(args, { env: { ...system.cliEnv, ...env } })

const json = <T>(args: string[], env: Record<string, string> = {}) =>
  runJson<T>(args, { env: { ...system.cliEnv, ...env } })

test("a key is created, used, shown, listed and revoked, and printed only once", async () => {
  for (const id of ["acme", "other"])
    await json(["channel", "create", "--id", id, "--address", "https://old.example/"])
  const create = ["key", "create", "--name", "acme's developers", "--scope", "channel:acme", "channel:other"]
  const created = await run([...create, "--expires", "90d"])
  expect(created).toMatchObject({ code: 0, stderr: expect.stringContaining("never shown again") })
  const [, key = ""] = /^key: +(swk_\S+)$/m.exec(created.stdout) ?? []
  const [, id = ""] = /^id: +(\S+)$/m.exec(created.stdout) ?? []
  expect(created.stdout).toMatch(/^scopes: +channel:acme, channel:other$/m)
  expect(created.stdout).toMatch(/^expires: .*\(in 90d\)$/m)

  const own = await json<ApiKey>(["key", "show"], { SITEWIRE_API_KEY: key })
  expect(own).toMatchObject({ id, scopes: ["channel:acme", "channel:other"], revoked_at: null })
  expect(await json<ApiKey>(["key", "show", id])).toMatchObject({ id, name: "acme's developers" })
  const listed = await run(["key", "list"])
  expect(listed.stdout).toMatch(
    new RegExp(`^${id} +acme's developers +active +in 90d +.* channel:acme, channel:other +`, "m"),
  )

  expect(await run(["key", "revoke", id])).toMatchObject({ code: 2 })
  expect(await run(["channel", "list"], { SITEWIRE_API_KEY: key })).toMatchObject({ code: 0 })
  const revoked = await run(["key", "revoke", id, "--yes"])
  expect(revoked.stdout).toMatch(/^state: +revoked$/m)
  expect(await run(["channel", "list"], { SITEWIRE_API_KEY: key })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("401"),
  })
  for (const { stdout, stderr } of [listed, revoked]) expect(stdout + stderr).not.toContain("swk_")
})

test("sessions are listed and ended", async () => {
  const { id, key } = await json<CreatedApiKey>(["key", "create", "--name", "support", "--scope", "read"])
  const signIn = () =>
    fetch(`${system.cliEnv.SITEWIRE_API}/session`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ key }),
    })
  for (const _ of [1, 2]) expect((await signIn()).status).toBe(200)
  const own = await json<Page<ConsoleSession>>(["session", "list"], { SITEWIRE_API_KEY: key })
  expect(own.data).toMatchObject([{ owner: { id, name: "support" } }, { owner: { id } }])
  const [first] = own.data
  const listed = await run(["session", "list", "--owner", id])
  expect(listed.stdout).toMatch(new RegExp(`^${first?.id} +support .* ${id} +read$`, "m"))
  expect(await run(["session", "end", first?.id ?? ""])).toMatchObject({ code: 2 })
  expect(await run(["session", "end", first?.id ?? "", "--yes"])).toMatchObject({ stdout: "1 ended.\n" })
  expect(await run(["session", "end", "--owner", id, "--yes"])).toMatchObject({ stdout: "1 ended.\n" })
  expect((await run(["session", "list", "--owner", id])).stdout).toBe("No sessions.\n")
})

test("at a terminal, revoking a key asks and names it", async () => {
  const create = ["key", "create", "--name", "dashboards", "--scope", "read"]
  const { id } = await json<CreatedApiKey>(create)
  const revoke = (answer: string) =>
    runCommand(["key", "revoke", id], { env: system.cliEnv, terminal: true, input: answer })
  const refused = await revoke("no\n")
  expect(refused.stderr).toContain(
    'Revoke the key "dashboards" (read)? This cannot be undone. Continue? [y/N]',
  )
  expect(refused.code).toBe(1)
  expect((await json<ApiKey>(["key", "show", id])).revoked_at).toBeNull()
  expect((await revoke("yes\n")).code).toBe(0)
  expect((await json<ApiKey>(["key", "show", id])).revoked_at).not.toBeNull()
})

test("a link signs in to the web console as the API key that the command uses", async () => {
  const created = await json<CreatedApiKey>(["key", "create", "--name", "acme", "--scope", "channel:acme"])
  const env = { SITEWIRE_API_KEY: created.key }
  const { code, stdout } = await run(["sign-in"], env)
  expect(code).toBe(0)
  expect(stdout).toMatch(/^expires: .*\(in (10m|600s)\)$/m)
  const [, origin = "", link] = /^link: +(\S+)\/sign-in#link=(swl_[\w-]{49})$/m.exec(stdout) ?? []
  const session = await fetch(`${origin}/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ link }),
  })
  expect(await session.json()).toMatchObject({ name: "acme", scopes: ["channel:acme"] })
  expect(await json<SignInLink>(["sign-in"], env)).toMatchObject({ url: expect.stringContaining(origin) })
  expect(await run(["sign-in"], { SITEWIRE_API_KEY: `swk_${"A".repeat(43)}` })).toMatchObject({ code: 1 })
})
