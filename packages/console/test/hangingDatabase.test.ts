import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openPool } from "@sitewire/database"
import { connectPostgres, createLogger, createReadiness, watchDependency } from "@sitewire/runtime"
import { waitUntil } from "@sitewire/testkit"
import { startPostgres } from "@sitewire/testkit/backing"
import { expect, onTestFinished, test, vi } from "vitest"

test("a database that does not respond in time is reported before the driver fails, and again when it responds", async () => {
  const pool = openPool({ url: process.env.DATABASE_URL ?? "", size: 1, name: "watch" })
  const reports: [boolean, string | undefined][] = []
  let seconds = 0
  const watch = watchDependency({
    check: () => pool.sql(`select 1, pg_sleep(${seconds})`),
    onState: (available, why) => reports.push([available, why]),
    everyMs: 50,
    timeoutMs: 500,
  })
  await vi.waitUntil(() => reports.length > 0)
  seconds = 1.5
  await vi.waitUntil(() => reports.at(-1)?.[0] === false, { timeout: 60_000 })
  seconds = 0
  await vi.waitUntil(() => reports.at(-1)?.[0] === true, { timeout: 60_000 })
  watch.stop()
  const unavailable = reports.filter(([available]) => !available)
  expect(unavailable).toEqual([[false, "no response within 500 ms"]])
  await pool.close()
})

test("a process that commits is not ready while the synchronous standby is missing", async () => {
  const { DATABASE_URL: _, ...env } = process.env
  const directory = await mkdtemp(join(tmpdir(), "sitewire-standby-"))
  const server = await startPostgres({ directory, env, durability: "scratch", progress() {} })
  onTestFinished(() => server.stop())
  const admin = openPool({ url: server.address, size: 1, name: "admin" })
  onTestFinished(() => admin.close())
  const standbys = async (names: string) => {
    await admin.sql(`alter system set synchronous_standby_names = '${names}'`)
    await admin.sql("select pg_reload_conf()")
  }
  // Tests' servers acknowledge a commit before it is stored.
  await admin.sql("alter database sitewire set synchronous_commit = on")
  const readiness = createReadiness(["postgres"])
  await connectPostgres({
    pool: openPool({ url: server.address, size: 2, name: "service" }),
    newestColumns: "select 1",
    check: "postgres",
    config: { STARTUP_DEADLINE: 60_000 },
    log: createLogger({ service: "test", level: "fatal" }),
    lifecycle: {
      stopping: new AbortController().signal,
      expiring: new AbortController().signal,
      onStop: (_name, close) => onTestFinished(async () => void (await close(5_000))),
      stop: async () => {},
    },
    readiness,
  })
  expect(readiness.read().ready).toBe(true)
  await standbys("missing")
  await waitUntil("the process to be unready", () => !readiness.read().ready)
  await standbys("")
  await waitUntil("the process to be ready", () => readiness.read().ready)
})
