import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { tmpdir } from "node:os"
import { fileURLToPath } from "node:url"
import { lowestDeliveryId } from "@sitewire/contracts"
import { runScript, startTestInstallation, waitUntil } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { runCli } from "./fixtures/runCli.ts"

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))
let it: Awaited<ReturnType<typeof startTestInstallation>>
let console: Awaited<ReturnType<typeof it.start>>
let env: Record<string, string>
beforeAll(async () => {
  it = await startTestInstallation({ env: { LOG_LEVEL: "warn" } })
  console = await it.start("console")
  const key = await runScript(
    "packages/console/src/tools/createKey.ts",
    ["--name", "cli-tests", "--scopes", "operate"],
    {
      DATABASE_URL: it.databaseUrl,
    },
  )
  env = { SITEWIRE_API: console.addresses.console ?? "", SITEWIRE_API_KEY: key.trim() }
}, 120_000)
afterAll(() => it?.stop("SIGTERM"))

/** Each start of a command can take seconds on a busy machine. */
const manyCommands = { timeout: 120_000 }

const run = (...args: string[]) => runCli(args, { env })

function tail(...args: string[]) {
  const child = spawn(process.execPath, [main, ...args], {
    cwd: tmpdir(),
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  const seen = { stdout: "", stderr: "" }
  child.stdout.on("data", (text) => {
    seen.stdout += text
  })
  child.stderr.on("data", (text) => {
    seen.stderr += text
  })
  return { child, seen }
}

async function insertDelivery(channel: string): Promise<string> {
  const id = `${lowestDeliveryId(Date.now()).slice(0, 14)}7000-8000-${randomBytes(6).toString("hex")}`
  await it.pool.sql(
    `insert into delivery (id, event_id, channel_id, body, body_sha256, correlation)
     values ($1::uuid, $1::text, $2, '', '', 'c')`,
    [id, channel],
  )
  return id
}

test(
  "delivery tail prints each delivery, also those of an interruption, and exits with 0 when interrupted",
  manyCommands,
  async () => {
    const { child, seen } = tail("delivery", "tail")
    await waitUntil("the connection", () => seen.stderr.includes("Following changes"))
    const first = await insertDelivery("acme")
    await waitUntil("the first delivery", () => seen.stdout.includes(first))
    expect(seen.stdout).toMatch(new RegExp(`${first}  acme  pending  #0\\n`))
    await console.end("SIGKILL")
    await waitUntil("the interruption", () => seen.stderr.includes("interrupted"))
    const missed = await insertDelivery("acme")
    console = await it.start("console", { CONSOLE_PORT: new URL(env.SITEWIRE_API ?? "").port })
    await waitUntil("the missed delivery", () => seen.stdout.includes(missed))
    child.kill("SIGINT")
    expect(await once(child, "exit")).toEqual([0, null])
  },
)

test("sync tail prints the syncs of one connection", manyCommands, async () => {
  for (const id of ["one", "two"])
    await run(
      "connection",
      "create",
      "--id",
      id,
      "--site",
      "shop.example",
      "--source",
      "https://source.example/",
    )
  const { seen } = tail("sync", "tail", "two", "--json")
  const insert = (id: string) =>
    it.pool.sql(
      "insert into sync_run (connection_id, fence, started_at, outcome, triggers) select $1, count(*), now(), 'changed', 3 from sync_run",
      [id],
    )
  await waitUntil("a sync", async () => {
    await insert("one")
    await insert("two")
    return seen.stdout.includes("}\n")
  })
  expect(seen.stdout).toContain('"connection": "two"')
  expect(seen.stdout).not.toContain('"connection": "one"')
})

test("a tail that the API rejects ends with an error", manyCommands, async () => {
  expect(await run("delivery", "tail", "--channel", "nobody")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('"nobody"'),
  })
  const nowhere = await runCli(["sync", "tail"], { env: { ...env, SITEWIRE_API: "http://127.0.0.1:1" } })
  expect(nowhere.code).toBe(3)
})

test("a tail ends when its key is revoked", manyCommands, async () => {
  const key = await runScript(
    "packages/console/src/tools/createKey.ts",
    ["--name", "revoked", "--scopes", "read"],
    {
      DATABASE_URL: it.databaseUrl,
    },
  )
  const before = env.SITEWIRE_API_KEY ?? ""
  env.SITEWIRE_API_KEY = key.trim()
  const { child, seen } = tail("delivery", "tail")
  env.SITEWIRE_API_KEY = before
  await waitUntil("the connection", () => seen.stderr.includes("Following changes"))
  await it.pool.sql("update api_key set revoked_at = now() where name = 'revoked'")
  expect(await once(child, "exit")).toEqual([1, null])
  expect(seen.stderr).toContain("(401)")
})

test("topic list and statistics show print tables", manyCommands, async () => {
  const topics = await run("topic", "list")
  expect(topics.code).toBe(0)
  expect(topics.stdout).toMatch(/^NAME +PARTITIONS +RECORDS +LAG +GROUP\n\S+site\.paid +2 +0 +0 /)
  await it.pool.sql(
    `insert into statistic select 'minute', '', date_trunc('minute', now()) - interval '2 minutes', 3,
       '{"delivered": 2, "timeout": 1}', '{"20": 3}', '{"busy": 4}', 5, '{"failed": 1}', now()
     on conflict (interval, channel_id, started_at) do update set attempts = excluded.attempts, latency = excluded.latency`,
  )
  const statistics = await run("statistics", "show")
  expect(statistics.stdout).toMatch(/^START +DELIVERIES +DELIVERED +P50 +P99 +TRIGGERS +SYNCS +FAILED SYNCS/)
  const none = await run("statistics", "show", "--after", "2001-01-01", "--before", "2001-01-01T01:00:00Z")
  expect(none.stdout).toBe("Nothing has been counted in this time.\n")
})
