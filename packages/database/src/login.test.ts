import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { type FreshDatabase, freshDatabase } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { isUnavailable } from "./isUnavailable.ts"
import { migrate } from "./migrate.ts"
import { openPool, type Pool, type PoolSettings } from "./pool.ts"
import { ensureProcessRoles } from "./roles.ts"

const role = `test_${randomBytes(4).toString("hex")}`
let database: FreshDatabase
let admin: Pool

beforeAll(async () => {
  database = await freshDatabase()
  admin = openPool({ url: database.url, size: 1, name: "test" })
  await admin.sql(`create role ${role} login password 'first'`)
})
afterAll(async () => {
  await admin?.sql(`drop role if exists ${role}`)
  await admin?.close()
  await database?.drop()
})

function addressOf(username: string): string {
  const url = new URL(database.url)
  return Object.assign(url, { username, password: "" }).href
}

function open(settings: Partial<PoolSettings>): Pool {
  const pool = openPool({ url: addressOf(role), size: 2, name: "test", ...settings })
  onTestFinished(pool.close)
  return pool
}

const backend = "select pg_backend_pid() as id, pg_sleep(0.05)"

test("the password is read for each new connection, so that one that has changed is used", async () => {
  let password = "first"
  let reads = 0
  const { sql } = open({
    readPassword: async () => {
      reads += 1
      return password
    },
  })
  await sql(backend)
  password = "second"
  await admin.sql(`alter role ${role} password 'second'`)
  const backends = await Promise.all([sql(backend), sql(backend)])
  expect(new Set(backends.flat().map(({ id }) => id)).size).toBe(2)
  expect(reads).toBe(2)
})

test("a password that cannot be read counts as an outage, and no connection is opened meanwhile", async () => {
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.destroy()
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const { sql } = open({
    url: `postgresql://sitewire@127.0.0.1:${port}/sitewire`,
    readPassword: () => Promise.reject(new Error("no token")),
  })
  const failure = await sql("select 1").catch((error: unknown) => error)
  expect(failure).toMatchObject({ message: "no token" })
  expect(isUnavailable(failure)).toBe(true)
  expect(connections).toBe(0)
})

test("reading the password takes none of the time for connecting", async () => {
  await admin.sql(`alter role ${role} password 'third'`)
  const { sql } = open({ connectTimeoutMs: 300, readPassword: () => sleep(600, "third") })
  expect(await sql("select 1 as one")).toEqual([{ one: 1 }])
})

test("migrations and roles log in like a pool", async () => {
  const { username, password } = new URL(database.url)
  const access = { url: addressOf(username), readPassword: async () => decodeURIComponent(password) }
  const wrong = { ...access, readPassword: async () => "wrong" }
  const prefix = `${role}_`
  expect(await migrate(access.url, access)).toEqual([])
  await expect(migrate(wrong.url, wrong)).rejects.toThrow("password authentication failed")
  await expect(ensureProcessRoles({ ...wrong, prefix })).rejects.toThrow("password authentication failed")
  const created = await ensureProcessRoles({ ...access, prefix })
  expect(created).toHaveLength(4)
  await admin.sql(`drop owned by ${created.join()}; drop role ${created.join()}`)
})
