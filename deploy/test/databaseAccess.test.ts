import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import {
  type FreshDatabase,
  freshDatabase,
  freshTopics,
  kafkaBrokers,
} from "../../development/testkit/src/index.ts"
import { newApiKey } from "../../packages/contracts/src/index.ts"
import { openPool, type Pool, type ProcessWithRole, roleOf } from "../../packages/database/src/index.ts"
import { prepare } from "../../packages/database/src/setup/prepare.ts"
import { createLogger } from "../../packages/runtime/src/index.ts"
import { exerciseServices } from "./fixtures/exerciseServices.ts"

/** Roles belong to the whole Postgres, so those of a test have a prefix of its own. */
const rolePrefix = `test_${randomBytes(4).toString("hex")}_`
const services: ProcessWithRole[] = ["trigger-gateway", "sync-scheduler", "webhook-dispatcher", "console"]
const apiKey = newApiKey()
const login = (process: ProcessWithRole) => `${rolePrefix}login_${process.replaceAll("-", "_")}`

let database: FreshDatabase
let admin: Pool
let topics: Awaited<ReturnType<typeof freshTopics>>

const runSetup = ({ url = database.url, ...changes }: { url?: string; rolePrefix?: string } = {}) =>
  prepare({
    database: { url },
    rolePrefix,
    firstApiKey: apiKey,
    kafka: { brokers: kafkaBrokers() },
    topicPrefix: topics.prefix,
    replication: 1,
    retryDelaysMs: [200, 400],
    retryPeriodMs: 3_600_000,
    deadlineMs: 60_000,
    log: createLogger({ service: "setup", level: "silent" }),
    ...changes,
  })

function urlOf(process: ProcessWithRole): string {
  const url = new URL(database.url)
  url.username = login(process)
  url.password = "secret"
  return url.href
}

beforeAll(async () => {
  topics = await freshTopics()
  database = await freshDatabase()
  admin = openPool({ url: database.url, size: 1, name: "database-access-test" })
  await runSetup()
  for (const process of services)
    await admin.sql(
      `create role ${login(process)} login password 'secret' in role ${roleOf(rolePrefix, process)}`,
    )
})

afterAll(async () => {
  for (const process of services) {
    await admin.sql(`drop role if exists ${login(process)}`)
    await admin.sql(`drop owned by ${roleOf(rolePrefix, process)}`)
    await admin.sql(`drop role ${roleOf(rolePrefix, process)}`)
  }
  await admin?.close()
  await database?.drop()
})

test("each service works with an account that has its role only", async () => {
  const output = await exerciseServices({ urlOf, topics, apiKey, sql: admin.sql })
  expect(output).not.toMatch(/permission denied/)
})

async function runAs(process: ProcessWithRole, statement: string): Promise<string> {
  const pool = openPool({ url: urlOf(process), size: 1, name: "database-access-test" })
  return pool
    .sql(statement)
    .then(
      () => "done",
      (error: unknown) => String(error),
    )
    .finally(() => pool.close())
}

const tokens = "select token_sealed from connection"
const secrets = "select secret_sealed from channel"
const keys = "select key_sha256 from api_key"
const sessions = "select * from session"

test.each([
  [
    "trigger-gateway",
    [tokens, secrets, keys, sessions, "select 1 from delivery", "select source from connection"],
  ],
  [
    "trigger-gateway",
    ["update connection set token_sha256 = ''", "insert into sync_window (connection_id) values ('x')"],
  ],
  [
    "sync-scheduler",
    [tokens, secrets, keys, sessions, "select 1 from delivery", "update connection set source = ''"],
  ],
  [
    "webhook-dispatcher",
    [tokens, keys, sessions, "select 1 from connection", "update channel set address = ''"],
  ],
  ["console", ["drop table api_key", "truncate audit_entry", "alter table channel add column x int"]],
  ["console", ["delete from audit_entry", "update audit_entry set key_id = ''"]],
] as const)("%s cannot use what it has no need of", async (process, statements) => {
  const everywhere = ["create table t ()", "select 1 from _prisma_migrations"]
  for (const statement of [...statements, ...everywhere])
    expect([statement, await runAs(process, statement)]).toEqual([
      statement,
      expect.stringMatching(/permission denied|must be owner/),
    ])
})

test("the gateway, which faces the internet, can write to no table", async () => {
  const writable = (process: ProcessWithRole) =>
    admin.sql(
      `select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and (
         has_any_column_privilege($1, oid, 'insert, update, references')
         or has_table_privilege($1, oid, 'insert, update, delete, truncate, trigger'))`,
      [roleOf(rolePrefix, process)],
    )
  expect(await writable("trigger-gateway")).toEqual([])
  expect((await writable("sync-scheduler")).length).toBeGreaterThan(0)
})

test("a repeated setup keeps the roles, takes away rights that were added, and gives back those that are missing", async () => {
  const role = roleOf(rolePrefix, "trigger-gateway")
  await admin.sql(`grant select on delivery to ${role}`)
  await admin.sql(`revoke select on connection from ${role}`)
  expect(await runAs("trigger-gateway", "select 1 from delivery")).toBe("done")
  await Promise.all([runSetup(), runSetup()])
  expect(await runAs("trigger-gateway", "select 1 from delivery")).toMatch(/permission denied/)
  expect(await runAs("trigger-gateway", "select id, token_sha256 from connection")).toBe("done")
})

test("an owner that may create no roles gives rights to those that exist, and names one that is missing", async () => {
  const [name, limited] = [`${rolePrefix}limited`, `${rolePrefix}limited_`]
  await admin.sql(`create role ${name} login password 'secret'`)
  await admin.sql(`create database ${name} owner ${name} template template0`)
  const url = new URL(database.url)
  Object.assign(url, { username: name, password: "secret", pathname: `/${name}` })
  const setup = () => runSetup({ url: url.href, rolePrefix: limited })
  try {
    await expect(setup()).rejects.toThrow(`create role ${limited}`)
    for (const process of services) await admin.sql(`create role ${roleOf(limited, process)}`)
    await setup()
    const pool = openPool({ url: url.href, size: 1, name: "database-access-test" })
    const [allowed] = await pool.sql("select has_table_privilege($1, 'delivery', 'insert') as allowed", [
      roleOf(limited, "webhook-dispatcher"),
    ])
    await pool.close()
    expect(allowed).toEqual({ allowed: true })
  } finally {
    await admin.sql(`drop database ${name}`)
    for (const process of services) await admin.sql(`drop role if exists ${roleOf(limited, process)}`)
    await admin.sql(`drop role ${name}`)
  }
})
