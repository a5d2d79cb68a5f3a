import { readFile } from "node:fs/promises"
import { type FreshDatabase, freshDatabase, waitUntil } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { type BusyRetry, type LockHolder, type MigrateOptions, migrate } from "./migrate.ts"
import { openPool, type Pool, type Sql } from "./pool.ts"

let database: FreshDatabase
let pool: Pool
let sql: Sql
beforeAll(async () => {
  database = await freshDatabase()
  pool = openPool({ url: database.url, size: 1, name: "test" })
  sql = pool.sql
})
afterAll(async () => {
  await pool?.close()
  await database?.drop()
})

/** Applies the test's own migrations: their names and scripts. Each test has tables of its own. */
function apply(scripts: Record<string, string>, options: Omit<MigrateOptions, "migrations"> = {}) {
  const migrations = Object.entries(scripts).map(([name, script]) => ({ name, script }))
  return migrate(database.url, { migrations, ...options })
}

/** A connection of a service, which is in a transaction. */
async function openTransaction(): Promise<Sql> {
  const service = openPool({ url: database.url, size: 1, name: "service" })
  onTestFinished(service.close)
  await service.sql("begin")
  return service.sql
}

const countWaiting = async () =>
  (await sql("select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"))
    .length

test("migrations that run in several places at once are applied once, also to an empty database", async () => {
  await sql("drop schema public cascade; create schema public")
  const setup = () => migrate(database.url)
  const applied = await Promise.all([setup(), setup(), setup()])
  const rows = await sql("select from _prisma_migrations where finished_at is not null")
  expect(applied.flat()).toHaveLength(rows.length)
  expect(rows.length).toBeGreaterThan(0)
  expect(await setup()).toEqual([])
})

test("who waits for another's lock reports its connection, again and again", async () => {
  const other = await openTransaction()
  const [holder] = await other("select pg_advisory_xact_lock(7483920114), pg_backend_pid() as pid")
  const reported: LockHolder[] = []
  const onLocked = (reportedHolder: LockHolder) => {
    reported.push(reportedHolder)
    if (reported.length === 2) void other("commit")
  }
  await apply({ locked_0: "create table locked (id int)" }, { lockReportMs: 150, onLocked })
  expect(reported).toMatchObject(Array(2).fill({ pid: holder?.pid, since: expect.any(Date) }))
  expect(reported[1]?.waitedMs).toBeGreaterThanOrEqual(300)
})

test("Postgres ends a job's connection with the lock within a minute if the job's node was lost", async (context) => {
  await sql("select pg_advisory_lock(2)")
  const script = "select pg_advisory_xact_lock(2); create table lost (id int)"
  const applying = apply({ lost_0: script }, { lockTimeoutMs: 3_600_000 })
  await waitUntil("the migration at the advisory lock", async () => (await countWaiting()) === 1)
  const [lock] = await sql<{ port: number }>(
    "select client_port as port from pg_stat_activity where application_name = 'sitewire-migrate-lock' and datname = current_database()",
  )
  const timer = await waitUntil("an idle connection", async () => {
    const timer = await readTimer(lock?.port ?? 0)
    return timer?.startsWith("01:") ? null : { value: timer }
  })
  await sql("select pg_advisory_unlock(2)")
  await applying
  if (timer.value === undefined)
    context.skip("Linux shows timers only of connections to a Postgres beside the test.")
  // 02 is the timer of the next probe.
  const [, hundredths = ""] = /^02:(.+)/.exec(timer.value ?? "") ?? []
  expect(Number.parseInt(hundredths, 16)).toBeLessThanOrEqual(30 * 100)
})

/** Linux's timer of the server's end of a connection. 01 waits for an acknowledgement. Undefined: the server runs elsewhere. */
async function readTimer(clientPort: number): Promise<string | undefined> {
  const files = await Promise.all(
    ["tcp", "tcp6"].map((name) => readFile(`/proc/net/${name}`, "utf8").catch(() => "")),
  )
  const remote = `:${clientPort.toString(16).toUpperCase().padStart(4, "0")}`
  const rows = files.flatMap((text) => text.split("\n").map((line) => line.trim().split(/\s+/)))
  return rows.find((columns) => columns[2]?.endsWith(remote))?.[5]
}

test("a migration that Postgres rejects leaves nothing behind, and is applied once it is corrected", async () => {
  const first = { refused_0: "create table refused (id int)" }
  const half = "insert into refused values (1); create table half (id int references nothing)"
  await expect(apply({ ...first, refused_1: half })).rejects.toThrow(/refused_1 failed.*nothing/)
  expect(await sql("select * from refused")).toEqual([])
  expect(await sql("select from _prisma_migrations where migration_name = 'refused_1'")).toEqual([])
  const corrected = "-- A comment; with a semicolon.\ncreate table half as select 'a; b' as text;"
  expect(await apply({ ...first, refused_1: corrected })).toEqual(["refused_1"])
  expect(await sql("select text from half")).toEqual([{ text: "a; b" }])
})

test("a migration that was edited after it was applied is reported, and nothing is applied", async () => {
  await apply({ edited_0: "create table edited (id int)" })
  const scripts = {
    edited_0: "create table edited (id bigint)",
    edited_1: "create table after_edited (id int)",
  }
  await expect(apply(scripts)).rejects.toThrow("edited_0 has changed since it was applied")
  expect(await sql("select to_regclass('after_edited') as made")).toEqual([{ made: null }])
})

test("a migration does not wait long for a table in use: those who waited behind it go first, and it is tried again", async () => {
  const first = { busy_0: "create table busy (id int)" }
  await apply(first)
  const scripts = { ...first, busy_1: "alter table busy add column added int" }
  const reader = await openTransaction()
  await reader("select from busy")
  const limits = { lockTimeoutMs: 100, pauseMs: 10 }
  await expect(apply(scripts, { ...limits, attempts: 1 })).rejects.toThrow("lock timeout")
  const busy: string[] = []
  const onBusy = ({ message }: Error) => {
    busy.push(message)
    if (busy.length === 2) void reader("commit")
  }
  expect(await apply(scripts, { ...limits, attempts: 1_000, onBusy })).toEqual(["busy_1"])
  expect(busy.slice(0, 2)).toEqual(Array(2).fill(expect.stringContaining("lock timeout")))
})

test("a migration that a deadlock ended is tried again", async () => {
  const first = { deadlock_0: "create table one (id int); create table other (id int)" }
  await apply(first)
  const [{ name } = { name: "" }] = await sql<{ name: string }>("select current_database() as name")
  await sql(`alter database "${name}" set deadlock_timeout = '10ms'`)
  const service = await openTransaction()
  // The migration detects the deadlock, and the service does not.
  await service("set deadlock_timeout = '1h'")
  await service("select from other")
  await sql("select pg_advisory_lock(1)")
  const locks =
    "alter table one add column added int; select pg_advisory_xact_lock(1); alter table other add column added int"
  const busy: [string, BusyRetry][] = []
  const options = { lockTimeoutMs: 3_600_000, attempts: 3, pauseMs: 10 }
  const migrating = apply(
    { ...first, deadlock_1: locks },
    { ...options, onBusy: (error, retry) => busy.push([error.message, retry]) },
  )
  await waitUntil("the migration at the advisory lock", async () => (await countWaiting()) === 1)
  const reading = service("select from one")
  await waitUntil("the service behind the migration", async () => (await countWaiting()) === 2)
  await sql("select pg_advisory_unlock(1)")
  await reading
  await service("commit")
  expect(await migrating).toEqual(["deadlock_1"])
  expect(busy).toEqual([[expect.stringContaining("deadlock"), { attempt: 1, attempts: 3, pauseMs: 10 }]])
})

test("an index is created concurrently, also by several at once, while a transaction is open", async () => {
  const table = { large_0: "create table large (id int, other int)" }
  await apply(table)
  const scripts = {
    ...table,
    large_1: "-- The index of other.\ncreate index concurrently large_other_idx on large (other)",
    large_2: "alter table large add column third int",
  }
  const writer = await openTransaction()
  await writer("insert into large values (1, 1)")
  const applying = Promise.all([apply(scripts), apply(scripts)])
  await waitUntil("the unfinished index", async () => (await unusableIndexes()).length === 1)
  // Writers do not wait for the index.
  await sql("insert into large values (2, 2)")
  await writer("commit")
  expect((await applying).flat()).toEqual(["large_1", "large_2"])
  expect(await unusableIndexes()).toEqual([])
})

test("an index whose creation failed is created anew, and its migration can contain nothing else", async () => {
  const table = "create table twice (id int); insert into twice values (1), (1)"
  const create = "create unique index concurrently twice_id_idx on twice (id)"
  await expect(apply({ twice_0: table, twice_1: create })).rejects.toThrow(/duplicate|unique/)
  expect(await unusableIndexes()).toHaveLength(1)
  await sql("delete from twice where ctid = '(0,1)'")
  const more = `${create}; alter table twice add column added int`
  await expect(apply({ twice_0: table, twice_1: more })).rejects.toThrow("CREATE INDEX CONCURRENTLY cannot")
  expect(await apply({ twice_0: table, twice_1: create })).toEqual(["twice_1"])
  expect(await unusableIndexes()).toEqual([])
  expect(await apply({ twice_0: table, twice_1: create })).toEqual([])
})

function unusableIndexes() {
  return sql("select indexrelid::regclass::text from pg_index where not indisvalid")
}
