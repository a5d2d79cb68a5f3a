import { randomUUID } from "node:crypto"
import { newApiKey } from "@sitewire/contracts"
import { connectKafka } from "@sitewire/kafka"
import { createLogger } from "@sitewire/runtime"
import { freshDatabase, freshTopics, kafkaBrokers, startProcess, waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { openPool } from "../pool.ts"
import { prepare } from "./prepare.ts"
import { prepareTopics } from "./prepareTopics.ts"

test("fewer brokers than copies: the setup fails, and says what to set", async () => {
  const database = await freshDatabase()
  const setup = startProcess("packages/database/src/setup/main.ts", {
    DATABASE_URL: database.url,
    KAFKA_BROKERS: kafkaBrokers().join(","),
    TOPIC_PREFIX: "too-many-copies.",
    TOPIC_REPLICATION: "3",
  })
  await expect(setup).rejects.toThrow(/Set TOPIC_REPLICATION, which is 3, to the number of brokers at most/)
  await database.drop()
})

test("with MANAGE_TOPICS=false, a missing topic is named with what it needs, and a different setting is a warning", async () => {
  const own = { "compression.type": "", "segment.ms": "86400000" }
  const settings = {
    topicPrefix: `others-${randomUUID()}.`,
    replication: 1,
    retryDelaysMs: [200],
    retryPeriodMs: 3_600_000,
    topicSettings: own,
  }
  const lines: string[] = []
  const log = createLogger({ service: "setup", level: "info" }, { write: (line) => void lines.push(line) })
  const kafka = connectKafka({ brokers: kafkaBrokers(), clientId: "setup-test", log })
  const compare = (changed = {}) =>
    prepareTopics(kafka, { ...settings, ...changed, manageTopics: false }, log)
  const missing = new RegExp(
    `^${settings.topicPrefix}site\\.paid: 24 partitions, cleanup\\.policy=delete, .*segment\\.ms=86400000`,
    "m",
  )
  await expect(compare()).rejects.toThrow(missing)
  await expect(compare()).rejects.not.toThrow(/compression\.type/)
  await prepareTopics(kafka, settings, log)
  await compare()
  expect(lines.join("")).not.toContain("differs")
  await compare({ topicSettings: { ...own, "segment.ms": "43200000" } })
  expect(lines.join("")).toContain("segment.ms is 86400000 instead of 43200000")
})

test("who waits for another setup job's migrations logs which connection it waits for, and how to end it", async () => {
  const database = await freshDatabase()
  const other = openPool({ url: database.url, size: 1, name: "other-setup" })
  await other.sql("begin")
  const [{ pid } = { pid: 0 }] = await other.sql<{ pid: number }>(
    "select pg_backend_pid() as pid, pg_advisory_xact_lock(7483920114)",
  )
  const lines: string[] = []
  const preparing = prepare({
    database: { url: database.url },
    kafka: { brokers: kafkaBrokers() },
    topicPrefix: (await freshTopics()).prefix,
    replication: 1,
    retryDelaysMs: [200],
    retryPeriodMs: 3_600_000,
    deadlineMs: 60_000,
    log: createLogger({ service: "setup", level: "warn" }, { write: (line) => void lines.push(line) }),
  })
  const remedy = `If no setup job runs there any more, end it: select pg_terminate_backend(${pid})`
  await waitUntil("the warning", () => lines.join("").includes(remedy) || null)
  await other.sql("commit")
  await preparing
  await other.close()
  await database.drop()
})

test("the first API key is stored as a hash, once, and a revoked key is not revived", async () => {
  const database = await freshDatabase()
  const { prefix } = await freshTopics()
  const pool = openPool({ url: database.url, size: 1, name: "setup-test" })
  const key = newApiKey()
  const lines: string[] = []
  const setup = () =>
    prepare({
      database: { url: database.url },
      firstApiKey: key,
      kafka: { brokers: kafkaBrokers() },
      topicPrefix: prefix,
      replication: 1,
      retryDelaysMs: [200, 400],
      retryPeriodMs: 3_600_000,
      deadlineMs: 60_000,
      log: createLogger({ service: "setup", level: "trace" }, { write: (line) => void lines.push(line) }),
    })
  await setup()
  const read = () => pool.sql("select scopes, revoked_at, api_key::text as row from api_key")
  const [stored] = await read()
  expect(stored).toMatchObject({ scopes: ["operate", "personal-data", "admin"], revoked_at: null })
  expect(lines.join("")).toContain("all topics exist")
  expect(stored?.row + lines.join("")).not.toContain(key)
  const entries = () => pool.sql("select key_id, operation, target_kind, changes from audit_entry")
  const entry = { key_id: "setup", operation: "createApiKey", target_kind: "key" }
  expect(await entries()).toMatchObject([
    { ...entry, changes: { scopes: { new: ["operate", "personal-data", "admin"] } } },
  ])
  await pool.sql("update api_key set revoked_at = now()")
  await setup()
  expect(await read()).toMatchObject([{ revoked_at: expect.any(Date) }])
  expect(await entries()).toHaveLength(1)
  await pool.close()
  await database.drop()
})
