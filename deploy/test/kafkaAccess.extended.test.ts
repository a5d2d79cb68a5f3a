import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
// biome-ignore lint/style/noRestrictedImports: only this test stores permissions at the broker, as Strimzi does.
import kafkajs from "kafkajs"
import { afterAll, beforeAll, expect, test } from "vitest"
import { parseAllDocuments } from "yaml"
import { z } from "zod"
import { scramLogin, startKafkaCluster } from "../../development/testkit/src/backing/index.ts"
import {
  type FreshDatabase,
  freshDatabase,
  runScript,
  type StartedProcess,
  silentLog,
  startProcess,
  waitUntil,
} from "../../development/testkit/src/index.ts"
import {
  hashConnectorToken,
  newApiKey,
  newConnectorToken,
  topicCatalogue,
  topicConfig,
  topicNames,
} from "../../packages/contracts/src/index.ts"
import { openPool } from "../../packages/database/src/index.ts"
import {
  connectKafka,
  ensureTopics,
  readTopic,
  startProducer,
  topicEnd,
} from "../../packages/kafka/src/index.ts"
import { describeUsers, kafkaUser, topicSettings } from "../strimzi.ts"

/** A broker that enforces the permissions of users.yaml, and the processes with these accounts. */
const settings = { ...topicSettings({}), replication: 1 }
const topics = topicNames(settings)
const password = "a password of the tests"
const processes = ["setup", "trigger-gateway", "sync-scheduler", "webhook-dispatcher", "console"]
const apiKey = newApiKey()

const kafkaUserResource = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    authorization: z.object({
      acls: z.array(
        z.object({
          resource: z.object({ type: z.string(), name: z.string() }),
          operations: z.array(z.string()),
        }),
      ),
    }),
  }),
})

let database: FreshDatabase
let directory: string
let cluster: Awaited<ReturnType<typeof startKafkaCluster>>
let brokers: string[]
let triggerPath: string

beforeAll(async () => {
  database = await freshDatabase()
  directory = await mkdtemp(join(tmpdir(), "kafka-access-"))
  cluster = await startKafkaCluster({
    directory,
    jars: join(import.meta.dirname, "../../.sitewire/jars"),
    env: process.env,
    brokers: 1,
    progress: () => {},
    login: scramLogin([...processes, "autoscaler"].map(kafkaUser), password),
  })
  brokers = cluster.brokers.map(({ address }) => address)
  await ensureTopics({
    kafka: connectAs("admin"),
    topics: topicCatalogue(settings).map((topic) => ({ ...topic, config: topicConfig(topic, 1) })),
  })
  await storePermissions()
  triggerPath = await addConnection()
})

afterAll(async () => {
  await cluster?.stop()
  await database?.drop()
  await rm(directory, { recursive: true, force: true })
})

function connectAs(username: string) {
  const login = { mechanism: "scram-sha-512", username, password } as const
  return connectKafka({ brokers, login, clientId: "test", log: silentLog })
}

async function storePermissions(): Promise<void> {
  const { AclResourceTypes, AclOperationTypes, AclPermissionTypes, ResourcePatternTypes } = kafkajs
  const operations = new Map([
    ["Read", AclOperationTypes.READ],
    ["Write", AclOperationTypes.WRITE],
    ["Describe", AclOperationTypes.DESCRIBE],
    ["DescribeConfigs", AclOperationTypes.DESCRIBE_CONFIGS],
  ])
  const users = parseAllDocuments(describeUsers(settings)).map((document) =>
    kafkaUserResource.parse(document.toJS()),
  )
  const acl = users.flatMap(({ metadata, spec }) =>
    spec.authorization.acls.flatMap(({ resource, operations: allowed }) =>
      allowed.map((operation) => ({
        principal: `User:${metadata.name}`,
        host: "*",
        resourceType: resource.type === "topic" ? AclResourceTypes.TOPIC : AclResourceTypes.GROUP,
        resourceName: resource.name,
        resourcePatternType: ResourcePatternTypes.LITERAL,
        operation: operations.get(operation) ?? AclOperationTypes.UNKNOWN,
        permissionType: AclPermissionTypes.ALLOW,
      })),
    ),
  )
  const sasl = { mechanism: "scram-sha-512", username: "admin", password } as const
  const admin = new kafkajs.Kafka({ brokers, sasl, logLevel: kafkajs.logLevel.NOTHING }).admin()
  await admin.connect()
  await admin.createAcls({ acl })
  await admin.disconnect()
}

async function addConnection(): Promise<string> {
  const token = newConnectorToken()
  const pool = openPool({ url: database.url, size: 1, name: "kafka-access-test" })
  await pool.sql(
    `insert into connection (id, site, source, token_sha256, token_sealed, signing_secret_sealed)
     values ('access', 'shop.example', 'https://partner.example/data', $1, '', '')`,
    [hashConnectorToken(token)],
  )
  await pool.close()
  return `/connectors/hook/access/${token}/`
}

const environment = (name: string) => ({
  DATABASE_URL: database.url,
  KAFKA_BROKERS: brokers.join(),
  KAFKA_USERNAME: kafkaUser(name),
  KAFKA_PASSWORD: password,
  SEALING_KEYS: `k1:${Buffer.alloc(32, 7).toString("base64")}`,
})

const started: StartedProcess[] = []
async function start(main: string, name: string, env: Record<string, string> = {}) {
  const process = await startProcess(main, { ...environment(name), ...env })
  started.push(process)
  return process
}

test("each process does its work with the permissions of its account", async () => {
  try {
    await runScript("packages/database/src/setup/main.ts", [], {
      ...environment("setup"),
      TOPIC_REPLICATION: "1",
      FIRST_API_KEY: apiKey,
    })
    // A service starts only if it can use its topics, and is ready only if its consumers have fetched.
    const gateway = await start("services/trigger-gateway/src/main.ts", "trigger-gateway", {
      GATEWAY_HOST: "127.0.0.1",
      GATEWAY_PORT: "0",
      GATEWAY_DRAIN_DELAY: "0s",
    })
    const scheduler = await start("services/sync-scheduler/src/main.ts", "sync-scheduler")
    const dispatcher = await start("services/webhook-dispatcher/src/main.ts", "webhook-dispatcher")
    const console = await start("packages/console/src/main.ts", "console", { CONSOLE_PORT: "0" })
    const trigger = await fetch(gateway.addresses.gateway + triggerPath, { method: "POST" })
    expect(trigger.status).toBe(202)
    for (const { addresses } of [gateway, scheduler, dispatcher])
      expect((await fetch(`${addresses.ops}/readyz`)).status).toBe(200)

    // The dispatcher publishes what it cannot parse to site.paid.invalid, from which the console reads it.
    const producer = await startProducer({ kafka: connectAs("admin") })
    await producer.publish([{ topic: topics.sitePaid, key: "k", value: "no JSON" }])
    await producer.close(1_000)
    const api = (path: string) =>
      fetch(`${console.addresses.console}${path}`, { headers: { authorization: `Bearer ${apiKey}` } })
    await waitUntil(
      "the invalid event",
      async () => (await topicEnd({ kafka: connectAs("admin"), topic: topics.sitePaidInvalid }))[0] === "1",
    )
    const listed = await api("/v1/topics")
    expect(listed.status).toBe(200)
    const { data } = z
      .object({ data: z.array(z.object({ partitions: z.array(z.unknown()).nullable() })) })
      .parse(await listed.json())
    for (const { partitions } of data) expect(partitions).not.toBeNull()
    expect((await api("/v1/invalid-events")).status).toBe(200)
  } finally {
    await Promise.all(started.map((process) => process.end()))
  }
})

async function publishAs(process: string, topic: string): Promise<string> {
  const producer = await startProducer({ kafka: connectAs(kafkaUser(process)), deadlineMs: 1_000 })
  return producer
    .publish([{ topic, key: "k", value: "{}" }])
    .then(
      () => "published",
      (error: unknown) => String(error),
    )
    .finally(() => producer.close(1_000))
}

test.each([
  ["trigger-gateway", topics.sitePaid],
  ["trigger-gateway", topics.dead],
  ["sync-scheduler", topics.connectorTriggered],
  ["webhook-dispatcher", topics.sitePaid],
  ["webhook-dispatcher", topics.connectorTriggered],
  ["console", topics.retry[0] ?? ""],
  ["console", topics.connectorTriggered],
  ["autoscaler", topics.sitePaid],
])("%s cannot publish to %s", async (process, topic) => {
  expect(await publishAs(process, topic)).toMatch(/authori/i)
})

test("an account can publish what it may", async () => {
  expect(await publishAs("console", topics.sitePaid)).toBe("published")
})

async function readAs(process: string, topic: string) {
  const to = await topicEnd({ kafka: connectAs("admin"), topic })
  const { records } = await readTopic({
    kafka: connectAs(kafkaUser(process)),
    topic,
    from: {},
    to,
    maxRecords: 1,
    maxBytes: 1_000,
  })
  return records.length
}

test("an account can read what it may", async () => {
  expect(await readAs("console", topics.connectorTriggered)).toBe(1)
})

test.each([
  ["trigger-gateway", topics.connectorTriggered],
  ["sync-scheduler", topics.sitePaid],
  ["webhook-dispatcher", topics.connectorTriggered],
  ["autoscaler", topics.connectorTriggered],
])("%s cannot read %s", async (process, topic) => {
  await expect(readAs(process, topic)).rejects.toThrow(/authori/i)
})
