import { chmod, chown, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Certificate, makeCertificate } from "@sitewire/cli/receivers"
import { migrate, openPool, type Pool } from "@sitewire/database"
import { freshTopics, kafkaBrokers, waitUntil } from "@sitewire/testkit"
import { type LocalService, startedHere, startPostgres } from "@sitewire/testkit/backing"
import { afterAll, beforeAll, expect, test } from "vitest"
import { call } from "./fixtures/call.ts"
import { addConnection } from "./fixtures/connections.ts"
import { killLeftGateways, startGateway } from "./fixtures/startGateway.ts"

/** Postgres's method `cert` takes the account from the certificate's common name, which is `partner`. */
const account = "partner"

let issuer: Certificate
let folder: string
let postgres: LocalService
let topics: Awaited<ReturnType<typeof freshTopics>>
let admin: Pool
let path: string

/** A Postgres that lets this account in by TLS with a certificate of the issuer only. */
beforeAll(async () => {
  issuer = makeCertificate("DNS:issuer.test")
  folder = await mkdtemp(join(tmpdir(), "gateway-postgres-"))
  await chmod(folder, 0o755)
  const env = { ...process.env, DATABASE_URL: undefined, BACKING_SERVICES: "local" }
  postgres = startedHere(
    await startPostgres({ directory: folder, env, durability: "scratch", progress: () => {} }),
  )
  await migrate(postgres.address)
  admin = openPool({ url: postgres.address, size: 1, name: "test" })
  await requireCertificates()
  path = (await addConnection(admin.sql, "certificate")).path
  topics = await freshTopics()
})

afterAll(async () => {
  killLeftGateways()
  await admin?.close()
  await postgres?.stop()
  if (folder) await rm(folder, { recursive: true, force: true })
})

async function requireCertificates(): Promise<void> {
  const [files] = await admin.sql<{ data: string; hba: string }>(
    "select current_setting('data_directory') as data, current_setting('hba_file') as hba",
  )
  const { data = "", hba = "" } = files ?? {}
  const server = makeCertificate("IP:127.0.0.1", 2, issuer)
  const { uid, gid } = await stat(data)
  for (const [name, content] of Object.entries({
    "server.key": server.key,
    "server.crt": server.cert,
    "issuer.crt": issuer.cert,
  })) {
    await writeFile(join(data, name), content, { mode: 0o600 })
    await chown(join(data, name), uid, gid)
  }
  const rules = await readFile(hba, "utf8")
  await writeFile(hba, `hostssl all ${account} all cert\nhost all ${account} all reject\n${rules}`)
  await admin.sql(`create role ${account} login in role pg_read_all_data, pg_write_all_data`)
  await admin.sql("alter system set ssl_ca_file = 'issuer.crt'")
  await admin.sql("alter system set ssl = on")
  await admin.sql("select pg_reload_conf()")
  await waitUntil(
    "Postgres has read its certificate",
    async () => (await admin.sql("show ssl"))[0]?.ssl === "on",
  )
}

/** The address in the form of libpq: the files are read again for each new connection. */
async function addressWith(name: string, identity: Certificate | null, trusted = issuer): Promise<string> {
  const url = new URL(postgres.address)
  url.username = account
  url.password = ""
  const file = async (kind: string, content: string) => {
    const at = join(folder, `${name}.${kind}`)
    await writeFile(at, content, { mode: 0o600 })
    url.searchParams.set(kind, at)
  }
  url.searchParams.set("sslmode", "verify-full")
  await file("sslrootcert", trusted.cert)
  if (identity) {
    await file("sslcert", identity.cert)
    await file("sslkey", identity.key)
  }
  return url.href
}

const environment = (address: string) => ({
  DATABASE_URL: address,
  KAFKA_BROKERS: kafkaBrokers().join(),
  TOPIC_PREFIX: topics.prefix,
})

const identities = () =>
  admin.sql<{ serial: string }>(
    `select client_serial::text as serial from pg_stat_ssl join pg_stat_activity using (pid)
      where usename = '${account}' and ssl`,
  )

/** Makes calls until `isEnough`, while nothing can read the table of connections. Returns the calls' statuses. */
async function callWhileLocked(url: string, isEnough: () => Promise<boolean>): Promise<number[]> {
  const pool = openPool({ url: postgres.address, size: 1, name: "lock" })
  const session = await pool.driver.connect()
  const calls: Promise<{ status: number }>[] = []
  try {
    await session.query("begin")
    await session.query("lock table connection in access exclusive mode")
    await waitUntil("enough calls wait", async () => {
      calls.push(call(url))
      return isEnough()
    })
  } finally {
    await session.query("rollback")
    session.release()
    await pool.close()
  }
  return (await Promise.all(calls)).map(({ status }) => status)
}

test("identifies itself by its certificate; a new one in the same files is used without a restart, and no call is rejected", async () => {
  const address = await addressWith("gateway", makeCertificate("DNS:gateway.test", 2, issuer))
  const gateway = await startGateway({ ...environment(address), GATEWAY_DEADLINE: "20s" })
  expect(await call(gateway.gateway + path)).toMatchObject({ status: 202 })
  const before = (await identities()).map(({ serial }) => serial)
  expect(before.length).toBeGreaterThan(0)
  const next = async () => (await identities()).filter(({ serial }) => !before.includes(serial))

  await addressWith("gateway", makeCertificate("DNS:gateway.test", 2, issuer))
  // Calls that wait at the same time need more connections than there are.
  const statuses = await callWhileLocked(gateway.gateway + path, async () => (await next()).length > 0)
  expect(new Set(statuses)).toEqual(new Set([202]))
  expect((await identities()).length).toBeGreaterThan((await next()).length)

  // A connection keeps its certificate until it ends.
  await admin.sql(
    `select pg_terminate_backend(pid) from pg_stat_activity join pg_stat_ssl using (pid)
      where usename = $1 and client_serial::text = any($2)`,
    [account, before],
  )
  await waitUntil(
    "a trigger is accepted with the new certificate",
    async () => (await call(gateway.gateway + path)).status === 202,
  )
  expect((await identities()).length).toBe((await next()).length)

  expect(gateway.output()).not.toContain("PRIVATE KEY")
  expect(await gateway.end("SIGTERM")).toBe(0)
})

test("the setup job's migrations identify themselves as well", async () => {
  expect(await migrate(await addressWith("setup", makeCertificate("DNS:setup.test", 2, issuer)))).toEqual([])
})

test.each([
  ["no certificate", () => addressWith("none", null)],
  [
    "a certificate of another issuer",
    () => addressWith("other", makeCertificate("DNS:gateway.test", 2, makeCertificate("DNS:other.test"))),
  ],
  [
    "a server's certificate of another issuer",
    () =>
      addressWith(
        "forged",
        makeCertificate("DNS:gateway.test", 2, issuer),
        makeCertificate("DNS:other.test"),
      ),
  ],
  [
    "a connection without TLS",
    async () => {
      const url = new URL(postgres.address)
      url.username = account
      return url.href
    },
  ],
])("%s ends the start with a reason", async (_, address) => {
  const starting = startGateway({ ...environment(await address()), STARTUP_DEADLINE: "2s" })
  const output = await starting.then(
    () => "it started",
    (error: Error) => error.message,
  )
  expect(output).toMatch(/certificate|pg_hba|TLS|SSL/i)
  expect(output).not.toContain("PRIVATE KEY")
})
