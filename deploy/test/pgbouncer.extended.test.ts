import { execFileSync, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { findProgram, needs } from "@sitewire/testkit/needs"
import { afterAll, beforeAll, expect, test } from "vitest"
import { pickPort, startedHere, startPostgres } from "../../development/testkit/src/backing/index.ts"
import { freshTopics, kafkaBrokers, postgresAddress, waitUntil } from "../../development/testkit/src/index.ts"
import { newApiKey } from "../../packages/contracts/src/index.ts"
import {
  migrate,
  openPool,
  type Pool,
  type ProcessWithRole,
  roleOf,
} from "../../packages/database/src/index.ts"
import { prepare } from "../../packages/database/src/setup/prepare.ts"
import { createLogger } from "../../packages/runtime/src/index.ts"
import { exerciseServices } from "./fixtures/exerciseServices.ts"

/** An older PgBouncer knows nothing of prepared statements. */
const program = needs(() => {
  const advice = "Install PgBouncer 1.21 or newer (Debian 13: apt-get install pgbouncer)."
  const found = findProgram("pgbouncer", advice)
  const version = /PgBouncer (\d+)\.(\d+)/.exec(execFileSync(found, ["--version"], { encoding: "utf8" }))
  const [, major, minor] = version?.map(Number) ?? []
  if (major === 1 && minor !== undefined && minor >= 21) return found
  throw new Error(`${version?.[0] ?? found} is too old. ${advice}`)
})

const prefix = `pooled_${randomBytes(4).toString("hex")}_`
const owner = `${prefix}owner`
const services: ProcessWithRole[] = ["trigger-gateway", "sync-scheduler", "webhook-dispatcher", "console"]
const loginOf = (process: ProcessWithRole) => `${roleOf(prefix, process)}_1`
const logins = [owner, ...services.map(loginOf)]
const passwords = logins.map((login): [string, string] => [login, "secret"])
/** Fewer than the connections of one process, so that transactions of several share one. */
const poolSize = 2

let admin: Pool
let direct: Pool
let pgbouncer: Awaited<ReturnType<typeof startPgBouncer>>

beforeAll(async () => {
  if (!program) return
  admin = openPool({ url: postgresAddress(), size: 1, name: "pgbouncer-test" })
  for (const role of services.map((process) => roleOf(prefix, process)))
    await admin.sql(`create role ${role}`)
  await admin.sql(`create role ${owner} login password 'secret'`)
  for (const process of services)
    await admin.sql(
      `create role ${loginOf(process)} login password 'secret' in role ${roleOf(prefix, process)}`,
    )
  for (const login of logins) {
    for (const setting of ["enable_seqscan", "jit"])
      await admin.sql(`alter role ${login} set ${setting} = off`)
    if (login !== owner) await admin.sql(`alter role ${login} set statement_timeout = '30s'`)
  }
  await admin.sql(`create database ${owner} owner ${owner} template template0`)
  direct = openPool({ url: addressOf(postgresAddress(), {}), size: 1, name: "pgbouncer-test" })
  pgbouncer = await startPgBouncer(program, postgresAddress())
})

afterAll(async () => {
  await direct?.close()
  await pgbouncer?.stop()
  await admin?.sql(`drop database if exists ${owner} with (force)`)
  for (const role of [...logins, ...services.map((process) => roleOf(prefix, process))])
    await admin?.sql(`drop role if exists ${role}`)
  await admin?.close()
})

function addressOf(server: string, account: { username?: string; password?: string }): string {
  return Object.assign(new URL(server), { pathname: `/${owner}`, ...account }).href
}
const pooled = (username: string) =>
  addressOf(`postgresql://127.0.0.1:${pgbouncer.port}`, { username, password: "secret" })

/** With the settings of docs/operators/managed.md. PgBouncer refuses to run as root. */
async function startPgBouncer(program: string, postgres: string, accounts = passwords) {
  const folder = await mkdtemp(join(tmpdir(), "pgbouncer-"))
  await chmod(folder, 0o755)
  const port = await pickPort({ wanted: 0, service: "PgBouncer" })
  const { hostname, port: postgresPort } = new URL(postgres)
  const page = await readFile(new URL("../../docs/operators/managed.md", import.meta.url), "utf8")
  const documented = /```ini\n(pool_mode[^`]*)```/.exec(page)?.[1]
  if (documented === undefined) throw new Error("managed.md has no settings of PgBouncer")
  const settings = [
    "[databases]",
    `* = host=${hostname} port=${postgresPort}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = scram-sha-256",
    `auth_file = ${join(folder, "users.txt")}`,
    documented,
    `default_pool_size = ${poolSize}`,
  ]
  await writeFile(join(folder, "pgbouncer.ini"), settings.join("\n"))
  await writeFile(
    join(folder, "users.txt"),
    accounts.map(([login, password]) => `"${login}" "${password}"\n`).join(""),
  )
  const account = process.getuid?.() === 0 ? ["-u", "nobody"] : []
  const child = spawn(program, [...account, join(folder, "pgbouncer.ini")], {
    stdio: ["ignore", "ignore", "pipe"],
  })
  let log = ""
  child.stderr.on("data", (text) => {
    log += text
  })
  await waitUntil("PgBouncer", () => {
    if (child.exitCode !== null) throw new Error(log)
    return log.includes("process up")
  })
  return {
    port,
    async stop() {
      if (child.exitCode === null) {
        child.kill("SIGKILL")
        await once(child, "exit")
      }
      await rm(folder, { recursive: true, force: true })
    },
  }
}

test("the setup job may go through it, also twice at once, as an owner without further rights", async () => {
  const setup = () => migrate(pooled(owner))
  const applied = await Promise.all([setup(), setup(), setup()])
  expect(applied.flat()).toEqual(await migrationsIn(direct))
  await waitUntil("the end of the lock in the pool", async () => {
    const locks = await direct.sql(
      "select from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())",
    )
    return locks.length === 0
  })
})

const migrationsIn = async ({ sql }: Pool) =>
  (await sql("select migration_name as name from _prisma_migrations order by name")).map(({ name }) => name)

test("a statement that was prepared on one connection of Postgres is executed on others", async () => {
  const pool = openPool({ url: pooled(owner), size: 6, name: "pgbouncer-test" })
  try {
    const run = (n: number) =>
      pool.sql<{ n: number; id: number }>(
        "select $1::int as n, pg_backend_pid() as id, pg_sleep(0.01)",
        [n],
        "prepared",
      )
    const numbers = Array.from({ length: 100 }, (_, n) => n)
    const rows = (await Promise.all(numbers.map(run))).flat()
    expect(rows.map(({ n }) => n)).toEqual(numbers)
    expect(new Set(rows.map(({ id }) => id)).size).toBe(poolSize)
    expect(await pool.sql("show enable_seqscan")).toEqual([{ enable_seqscan: "off" }])
    expect(await pool.sql("show jit")).toEqual([{ jit: "off" }])
  } finally {
    await pool.close()
  }
})

test("a restart of Postgres is over for its clients within seconds", async () => {
  const directory = await mkdtemp(join(tmpdir(), "pgbouncer-postgres-"))
  const env = { ...process.env, DATABASE_URL: undefined, BACKING_SERVICES: "local" }
  const postgres = startedHere(await startPostgres({ directory, env, durability: "scratch", progress() {} }))
  const { username, password, pathname } = new URL(postgres.address)
  const between = await startPgBouncer(program ?? "", postgres.address, [[username, password]])
  const url = `postgresql://${username}:${password}@127.0.0.1:${between.port}${pathname}`
  const pool = openPool({ url, size: 1, name: "pgbouncer-test" })
  const isAnswered = () => pool.sql("select").then(Boolean, () => false)
  try {
    await waitUntil("the first answer", isAnswered)
    await postgres.halt()
    // PgBouncer tries to connect, and fails.
    await waitUntil("the failure of a statement", async () => !(await isAnswered()))
    await postgres.resume()
    const resumedAt = performance.now()
    await waitUntil("an answer", isAnswered)
    expect(performance.now() - resumedAt).toBeLessThan(10_000)
  } finally {
    await pool.close()
    await between.stop()
    await postgres.stop()
    await rm(directory, { recursive: true, force: true })
  }
})

test("all services do their work through it", async () => {
  const topics = await freshTopics()
  const apiKey = newApiKey()
  await prepare({
    database: { url: pooled(owner) },
    rolePrefix: prefix,
    firstApiKey: apiKey,
    kafka: { brokers: kafkaBrokers() },
    topicPrefix: topics.prefix,
    replication: 1,
    retryDelaysMs: [200, 400],
    retryPeriodMs: 3_600_000,
    deadlineMs: 60_000,
    log: createLogger({ service: "setup", level: "silent" }),
  })
  const urlOf = (process: ProcessWithRole) => pooled(loginOf(process))
  const output = await exerciseServices({ urlOf, topics, apiKey, sql: direct.sql })
  expect(output).not.toMatch(/prepared statement|permission denied/)
  const [{ clients } = { clients: 0 }] = await direct.sql<{ clients: number }>(
    "select count(*)::int as clients from pg_stat_activity where datname = current_database()",
  )
  expect(clients).toBeLessThanOrEqual(poolSize * logins.length + 1)
})
