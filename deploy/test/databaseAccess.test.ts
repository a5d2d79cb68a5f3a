import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { z } from "zod"
import { startReceiver } from "../../packages/cli/src/receivers/index.ts"
import { newApiKey } from "../../packages/contracts/src/index.ts"
import { openPool, type Pool, type ProcessWithRole, roleOf } from "../../packages/database/src/index.ts"
import {
  type FreshDatabase,
  freshDatabase,
  freshTopics,
  kafkaBrokers,
  startProcess,
  waitUntil,
} from "../../packages/development/testkit/src/index.ts"
import { startProducer } from "../../packages/kafka/src/index.ts"
import { createLogger } from "../../packages/runtime/src/index.ts"
import { prepare } from "../../packages/setup/src/index.ts"

/** Roles belong to the whole Postgres, so those of a test have a prefix of its own. */
const rolePrefix = `test_${randomBytes(4).toString("hex")}_`
const services: ProcessWithRole[] = ["trigger-gateway", "sync-scheduler", "webhook-dispatcher", "console"]
const apiKey = newApiKey()
const login = (process: ProcessWithRole) => `${rolePrefix}login_${process.replaceAll("-", "_")}`

let database: FreshDatabase
let admin: Pool
let topics: Awaited<ReturnType<typeof freshTopics>>

const environment = () => ({
  KAFKA_BROKERS: kafkaBrokers().join(),
  TOPIC_PREFIX: topics.prefix,
  RETRY_DELAYS: "200ms,400ms",
})

const runSetup = (changes: { databaseUrl?: string; rolePrefix?: string } = {}) =>
  prepare({
    databaseUrl: database.url,
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
  const partner = await startReceiver((_, response) => response.end("{}"))
  const env = (process: ProcessWithRole) => ({
    ...environment(),
    DATABASE_URL: urlOf(process),
    SEALING_KEYS: `k1:${Buffer.alloc(32, 7).toString("base64")}`,
    ALLOW_HTTP: "true",
    ALLOWED_RANGES: "127.0.0.0/8",
    SYNC_SETTLE: "0s",
    GATEWAY_DRAIN_DELAY: "0s",
    GATEWAY_HOST: "127.0.0.1",
    GATEWAY_PORT: "0",
    CONSOLE_PORT: "0",
  })
  const [gateway, scheduler, dispatcher, console] = await Promise.all([
    startProcess("services/trigger-gateway/src/main.ts", env("trigger-gateway")),
    startProcess("services/sync-scheduler/src/main.ts", env("sync-scheduler")),
    startProcess("services/webhook-dispatcher/src/main.ts", env("webhook-dispatcher")),
    startProcess("packages/console/src/main.ts", env("console")),
  ])
  try {
    const create = async (path: string, body: unknown) => {
      const response = await fetch(`${console.addresses.console}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      })
      expect([response.status, path]).toEqual([201, path])
      return response.json()
    }
    await create("/v1/channels", { id: "acme", address: `${partner.url}/hook` })
    const created = await create("/v1/connections", { site: "bakery.example", source: `${partner.url}/data` })
    const { trigger_url } = z.object({ trigger_url: z.string() }).parse(created)
    const trigger = await fetch(gateway.addresses.gateway + new URL(trigger_url).pathname, { method: "POST" })
    expect(trigger.status).toBe(202)
    const producer = await startProducer({ kafka: topics.kafka })
    const event = {
      id: crypto.randomUUID(),
      channel: "acme",
      reference: "user-4711",
      site_url: "https://bakery.example",
      console_url: "https://console.example/bakery",
      name: "Bakery",
      email: "owner@bakery.example",
      created_at: new Date().toISOString(),
    }
    await producer.publish([{ topic: topics.names.sitePaid, key: event.id, value: JSON.stringify(event) }])
    await producer.close(1_000)
    const count = async (statement: string) => (await admin.sql(statement)).length
    await waitUntil("the sync", () =>
      count("select 1 from sync_run where outcome = 'changed'").then((n) => n === 1),
    )
    await waitUntil("the delivery", () =>
      count("select 1 from delivery where state = 'delivered'").then((n) => n === 1),
    )
    expect(await count("select 1 from attempt")).toBe(1)
  } finally {
    const outputs = [gateway, scheduler, dispatcher, console].map((process) => process.output()).join("")
    await Promise.all([gateway, scheduler, dispatcher, console].map((process) => process.end()))
    await partner.close()
    expect(outputs).not.toMatch(/permission denied/)
  }
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
  const setup = () => runSetup({ databaseUrl: url.href, rolePrefix: limited })
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
