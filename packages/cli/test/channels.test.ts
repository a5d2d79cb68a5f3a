import type { Channel, Page } from "@sitewire/contracts"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createClient } from "../src/api/client.ts"
import { runCommand, runJson } from "./fixtures/runCommand.ts"
import { startConsole, startConsoleOf } from "./fixtures/startConsole.ts"

const address = "https://partner.example/hook"
let system: Awaited<ReturnType<typeof startConsole>>
beforeAll(async () => {
  system = await startConsole()
})
afterAll(() => system?.stop())

const run = (...args: string[]) => runCommand(args, { env: system.cliEnv })
const json = <T>(...args: string[]) => runJson<T>(args, { env: system.cliEnv })

test("a channel is created, listed, shown and updated, and its secret is shown only once", async () => {
  const created = await run("channel", "create", "--id", "acme", "--address", address)
  expect(created.code).toBe(0)
  const secret = /^signing secret: (.+)$/m.exec(created.stdout)?.[1] ?? ""
  expect(secret.length).toBeGreaterThan(20)
  expect(created.stderr).toContain("never shown again")

  const list = await run("channel", "list")
  expect(list.stdout).toMatch(/^ID +HEALTH +ADDRESS\nacme +ok +https:/)
  const updated = await run("channel", "update", "acme", "--address", "https://partner.example/moved")
  const shown = await run("channel", "show", "acme")
  expect(shown.stdout).toContain("https://partner.example/moved")
  expect(list.stdout + updated.stdout + shown.stdout).not.toContain(secret)
})

test("a contact is set, shown and removed; without a mail server, the error says that nobody would be written to", async () => {
  await json("channel", "create", "--id", "told", "--address", address)
  const update = ["channel", "update", "told", "--contact"]
  const rejected = await run(...update, "hooks@partner.example")
  expect(rejected).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("SMTP_URL of the console is not set"),
  })
  const mail = { SMTP_URL: "smtp://127.0.0.1:9", SMTP_FROM: "webhooks@sitewire.example" }
  const mailing = await startConsoleOf(system.installation, mail)
  try {
    const env = mailing.cliEnv
    const set = await runCommand([...update, "hooks@partner.example"], { env })
    expect(set.stdout).toMatch(/^contact: +hooks@partner\.example$/m)
    const masked = { ...env, SITEWIRE_API_KEY: await mailing.createKey("support", "read") }
    const shown = await runCommand(["channel", "show", "told"], { env: masked })
    expect(shown.stdout).toMatch(/^contact: +h\*\*\*@partner\.example$/m)
    expect((await runCommand([...update, "none"], { env })).stdout).not.toContain("contact")
  } finally {
    await mailing.close()
  }
})

test("--json prints exactly the API's response, and --cursor continues a list", async () => {
  for (const id of ["page-1", "page-2", "page-3"]) {
    await json("channel", "create", "--id", id, "--address", address)
  }
  const { SITEWIRE_API: api, SITEWIRE_API_KEY: key } = system.cliEnv
  const fetched = await fetch(`${api}/v1/channels/page-1`, { headers: { Authorization: `Bearer ${key}` } })
  expect(await json("channel", "show", "page-1")).toEqual(await fetched.json())

  const all = await json<Page<Channel>>("channel", "list", "--all")
  expect(all.next_cursor).toBeNull()
  const first = await json<Page<Channel>>("channel", "list", "--limit", "2")
  expect(first.data).toEqual(all.data.slice(0, 2))
  const rest = await json<Page<Channel>>("channel", "list", "--cursor", first.next_cursor ?? "")
  expect([...first.data, ...rest.data]).toEqual(all.data)
  expect((await run("channel", "list", "--limit", "2")).stderr).toContain(`--cursor ${first.next_cursor}`)
})

test("a request that the API rejects ends with one error message and exit code 1", async () => {
  const unknown = await run("channel", "show", "nobody")
  expect(unknown).toMatchObject({ code: 1, stdout: "" })
  expect(unknown.stderr).toMatch(
    /^error: .*\(404\): There is no channel "nobody"\. `sitewire channel list` lists all channels\.\n$/,
  )
  const invalid = await run("channel", "create", "--id", "not an id", "--address", "ftp://x.example/")
  expect(invalid.code).toBe(1)
  expect(invalid.stderr).toMatch(/\n {2}--id must .*\n {2}--address must /)
  const asJson = await run("channel", "show", "nobody", "--json")
  expect(JSON.parse(asJson.stderr)).toMatchObject({ status: 404, title: expect.any(String) })
  const wrongKey = await runCommand(["channel", "list"], {
    env: { ...system.cliEnv, SITEWIRE_API_KEY: "swk_wrong-key" },
  })
  expect(wrongKey).toMatchObject({ code: 1, stderr: expect.stringContaining("401") })
  expect(wrongKey.stderr).not.toContain("swk_wrong-key")
})

test("the client that other packages use rejects with the API's problem", async () => {
  const { SITEWIRE_API: api, SITEWIRE_API_KEY: key } = system.cliEnv
  const client = createClient({ api, key })
  await expect(client.readConnection({ id: "nobody" })).rejects.toMatchObject({
    exitCode: 1,
    problem: { status: 404 },
  })
  await expect(client.readChannel({ id: ".." })).rejects.toMatchObject({ problem: { status: 404 } })
})
