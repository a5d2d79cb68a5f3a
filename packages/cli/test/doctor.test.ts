import { randomBytes } from "node:crypto"
import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { closedPort } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import type { Check } from "../src/commands/doctor/check.ts"
import { startReceiver } from "../src/receivers/index.ts"
import { runCommand } from "./fixtures/runCommand.ts"
import { startConsole } from "./fixtures/startConsole.ts"

let system: Awaited<ReturnType<typeof startConsole>>
let everything: Record<string, string>
beforeAll(async () => {
  system = await startConsole()
  const { databaseUrl, sealingKeys } = system.installation
  const retries = { RETRY_DELAYS: "200ms,400ms", RETRY_PERIOD: "1h" }
  everything = { ...system.cliEnv, ...retries, DATABASE_URL: databaseUrl, SEALING_KEYS: sealingKeys }
  await runCommand(["channel", "create", "--id", "acme", "--address", "https://a.example"], {
    env: everything,
  })
  await runCommand(
    ["connection", "create", "--id", "bakery", "--site", "a.example", "--source", "https://a.example"],
    { env: everything },
  )
})
afterAll(() => system?.stop())

async function diagnose(env: Record<string, string>, ...args: string[]) {
  const { code, stdout, stderr } = await runCommand(["doctor", "--json", ...args], {
    env,
    cwd: await mkdtemp(join(tmpdir(), "sitewire-doctor-")),
  })
  expect(stderr).toBe("")
  const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: Check[] }
  expect(code).toBe(ok ? 0 : 1)
  const by = (name: string) => checks.find((check) => check.name === name)
  return { ok, checks, by, text: stdout }
}

const secrets = () => [everything.SITEWIRE_API_KEY, everything.SEALING_KEYS?.split(":")[1], "swt_", "swk_"]

test("a healthy installation has no faults, and the setup job repairs topics with too few partitions", async () => {
  // The topics of tests have fewer partitions than the catalogue says.
  const before = await diagnose(everything)
  expect(before.by("topics")).toMatchObject({
    state: "fault",
    detail: expect.stringContaining("2 instead of 24 partitions"),
    advice: expect.stringContaining("setup job"),
  })
  await system.installation.setUp()
  const after = await diagnose(everything, "--broker-clock")
  expect(after.checks.filter(({ state }) => state !== "ok")).toMatchObject(
    ["RETRY_DELAYS", "RETRY_PERIOD"].map((name) => ({ name, state: "warning" })),
  )
  expect(after.ok).toBe(true)
  expect(after.checks.map(({ name }) => name)).toEqual([
    "management API",
    "version",
    "API key",
    "scopes",
    "console's clock",
    "broker",
    "topics",
    "broker's clock",
    "database",
    "migrations",
    "sealing keys",
    "database's clock",
    "RETRY_DELAYS",
    "RETRY_PERIOD",
  ])
  expect(after.by("sealing keys")?.detail).toContain("used: k1 (4 values)")
  for (const secret of secrets()) expect(after.text).not.toContain(secret)
})

test("what is not configured is named as not checked", async () => {
  const { SITEWIRE_API, SITEWIRE_API_KEY } = system.cliEnv
  const human = await runCommand(["doctor"], { env: { SITEWIRE_API, SITEWIRE_API_KEY } })
  expect(human.code).toBe(0)
  expect(human.stdout).toMatch(/^ok {11}scopes: operate, personal-data, admin: every command$/m)
  expect(human.stdout).toMatch(
    /^not checked {2}broker, topics: no broker is configured\n +→ Set KAFKA_BROKERS/m,
  )
  expect(human.stdout).toMatch(
    /^not checked {2}database, migrations, sealing keys: DATABASE_URL is not set$/m,
  )
  expect(human.stdout).toContain("No faults. Not everything was checked.")
})

test("faults of the API's configuration are named, each with what to do", async () => {
  const nothing = await diagnose({})
  expect(nothing.by("management API")).toMatchObject({
    state: "fault",
    advice: expect.stringContaining("SITEWIRE_API"),
  })
  const closed = `127.0.0.1:${await closedPort()}`
  const down = await diagnose({ ...everything, SITEWIRE_API: `http://${closed}` })
  expect(down.by("management API")?.detail).toContain("the connection was refused")
  const wrongKey = await diagnose({ ...everything, SITEWIRE_API_KEY: "swk_wrong" })
  expect(wrongKey.by("API key")).toMatchObject({
    state: "fault",
    advice: expect.stringContaining("SITEWIRE_API_KEY"),
  })
  const other = await startReceiver((_, response) => response.end("hello"))
  onTestFinished(() => other.close())
  const notSitewire = await diagnose({ ...everything, SITEWIRE_API: other.url })
  expect(notSitewire.by("management API")?.detail).toContain("is another server")
  expect(other.received.every(({ headers }) => headers.authorization === undefined)).toBe(true)
  for (const { text } of [down, wrongKey]) expect(text).not.toContain("swk_")
})

test("a console of another version, and a clock that is wrong, are reported", async () => {
  const old = await startReceiver(({ path }, response) => {
    response.setHeader("date", new Date(Date.now() - 3_600_000).toUTCString())
    const key = {
      id: "key_1",
      name: "k",
      scopes: ["channel:acme"],
      created_at: "2026-01-01T00:00:00Z",
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
      last_used_at: null,
      revoked_at: null,
    }
    const document = { info: { title: "Sitewire", version: "0.0.9" } }
    response.end(JSON.stringify(path === "/v1/keys/current" ? key : document))
  })
  onTestFinished(() => old.close())
  const { by, ok } = await diagnose({ SITEWIRE_API: old.url, SITEWIRE_API_KEY: "swk_k" })
  expect(by("version")).toMatchObject({ state: "warning", detail: expect.stringContaining("0.0.9") })
  expect(by("API key")).toMatchObject({
    state: "warning",
    detail: expect.stringContaining("expires in"),
    advice: expect.stringContaining("Ask the operator"),
  })
  expect(by("scopes")?.detail).toContain("read this channel")
  expect(by("console's clock")).toMatchObject({
    state: "fault",
    detail: expect.stringContaining("behind this machine's clock"),
    advice: expect.stringContaining("NTP"),
  })
  expect(ok).toBe(false)
})

test("faults of Kafka are named, each with what to do", async () => {
  const closed = `127.0.0.1:${await closedPort()}`
  const down = await diagnose({ ...everything, KAFKA_BROKERS: closed })
  expect(down.by("broker")).toMatchObject({ state: "fault", detail: expect.stringContaining(closed) })
  const prefix = await diagnose({ ...everything, TOPIC_PREFIX: "wrong." })
  expect(prefix.by("topics")).toMatchObject({
    state: "fault",
    detail: expect.stringContaining("wrong.site.paid is missing"),
    advice: expect.stringContaining("TOPIC_PREFIX"),
  })
  const delays = await diagnose({ ...everything, RETRY_DELAYS: "soon" })
  expect(delays.by("topics")?.detail).toContain("RETRY_DELAYS")
  const login = await diagnose({ ...everything, KAFKA_PASSWORD: "hunter2" })
  expect(login.by("broker")?.advice).toContain("KAFKA_USERNAME")
  expect(login.text).not.toContain("hunter2")
})

test("faults of Postgres, of migrations and of sealing keys are named, each with what to do", async () => {
  const { sql } = system.installation
  const closed = await closedPort()
  const down = await diagnose({ ...everything, DATABASE_URL: `postgresql://u:hunter2@127.0.0.1:${closed}/d` })
  expect(down.by("database")).toMatchObject({
    state: "fault",
    advice: expect.stringContaining("DATABASE_URL"),
  })
  expect(down.text).not.toContain("hunter2")

  const wrong = `k1:${randomBytes(32).toString("base64")}`
  const sealing = await diagnose({ ...everything, SEALING_KEYS: wrong })
  expect(sealing.by("sealing keys")).toMatchObject({
    state: "fault",
    detail: expect.stringContaining('does not open with the key "k1"'),
  })
  const missingKey = await diagnose({ ...everything, SEALING_KEYS: wrong.replace("k1", "k2") })
  expect(missingKey.by("sealing keys")?.detail).toContain('needs the key "k1"')
  const invalid = await diagnose({ ...everything, SEALING_KEYS: "k1:hunter2" })
  expect(invalid.by("sealing keys")).toMatchObject({
    detail: expect.stringContaining("32 bytes in base64"),
    advice: expect.stringContaining("Correct its form"),
  })
  expect(invalid.text).not.toContain("hunter2")

  const [newest] = await sql<{ name: string }>(
    "select migration_name as name from _prisma_migrations order by migration_name desc limit 1",
  )
  const rename = (from: string, to: string) =>
    sql("update _prisma_migrations set migration_name = $2 where migration_name = $1", [from, to])
  await rename(newest?.name ?? "", "29990101000000_later")
  const migrations = await diagnose(everything)
  expect(migrations.by("migrations")).toMatchObject({
    state: "fault",
    detail: `not applied: ${newest?.name}`,
    advice: expect.stringContaining("setup job"),
  })
  await rename("29990101000000_later", newest?.name ?? "")
})
