import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startKafkaCluster } from "@sitewire/testkit/backing"
import { afterAll, beforeAll, expect, test } from "vitest"
import { makeTopic, realBroker, silentLog, uniqueName, withAdmin } from "../../test/fixtures/realBroker.ts"
import { until } from "../../test/fixtures/until.ts"
import { ensureTopics } from "../admin/ensureTopics.ts"
import { readTopic, topicEnd } from "../admin/readTopic.ts"
import { connectKafka, type KafkaConnection } from "../client/connectKafka.ts"
import { type Producer, startProducer } from "./startProducer.ts"

const kafka = realBroker()
let producer: Producer

beforeAll(async () => {
  producer = await startProducer({ kafka, deadlineMs: 5_000 })
})
afterAll(() => producer?.close(1_000))

async function keysIn(topic: string): Promise<(string | null)[]> {
  const to = await topicEnd({ kafka, topic })
  const limits = { maxRecords: 1_000, maxBytes: 10_000_000 }
  const { records } = await readTopic({ kafka, topic, groupPrefix: "keys", from: {}, to, ...limits })
  return records.map(({ key }) => key)
}

test("records above the broker's size limit reject as too large; records of the same batch are appended in order", async () => {
  const topic = await makeTopic(kafka, { config: { "max.message.bytes": "10000" } })
  const startedAt = performance.now()
  const sizes = Array.from({ length: 40 }, (_, n) => (n % 13 === 5 ? 20_000 : 1_000))
  const published = sizes.map((size, n) =>
    producer.publish([{ topic, key: String(n), value: "x".repeat(size) }]),
  )
  const outcomes = await Promise.allSettled(published)
  const rejected = outcomes.flatMap((outcome, n) =>
    outcome.status === "rejected" ? [[n, outcome.reason]] : [],
  )
  expect(rejected.map(([n]) => n)).toEqual([5, 18, 31])
  for (const [, reason] of rejected) {
    expect(reason).toMatchObject({
      name: "RecordTooLarge",
      reason: "MESSAGE_TOO_LARGE",
      scope: "record",
      topic,
    })
  }
  expect(performance.now() - startedAt).toBeLessThan(4_000)
  const appended = sizes.flatMap((size, n) => (size === 1_000 ? [String(n)] : []))
  expect(await keysIn(topic)).toEqual(appended)
})

test("a record that its topic does not allow rejects at once and delays no record of the same partition", async () => {
  const topic = await makeTopic(kafka, { config: { "cleanup.policy": "compact" } })
  const [good, bad, after] = await Promise.allSettled([
    producer.publish([{ topic, key: "good", value: "x" }]),
    producer.publish([{ topic, key: null, value: "compaction needs a key" }]),
    producer.publish([{ topic, key: "after", value: "x" }]),
  ])
  expect([good.status, bad.status, after.status]).toEqual(["fulfilled", "rejected", "fulfilled"])
  expect((bad as PromiseRejectedResult).reason).toMatchObject({
    name: "PermanentPublishError",
    reason: "INVALID_RECORD",
    scope: "record",
    topic,
  })
  expect(await keysIn(topic)).toEqual(["good", "after"])
})

test("an invalid topic name rejects at once", async () => {
  const startedAt = performance.now()
  const publishing = producer.publish([{ topic: "no spaces", key: null, value: "x" }])
  await expect(publishing).rejects.toMatchObject({ reason: "INVALID_TOPIC_EXCEPTION", scope: "topic" })
  expect(performance.now() - startedAt).toBeLessThan(2_000)
})

test("publishing without permission to write or describe a topic rejects at once with the cause; other topics are published to", {
  timeout: 120_000,
}, async () => {
  const directory = await mkdtemp(join(tmpdir(), "sitewire-acl-"))
  const plain = "org.apache.kafka.common.security.plain.PlainLoginModule"
  const cluster = await startKafkaCluster({
    directory,
    jars: join(import.meta.dirname, "../../../../.sitewire/jars"),
    env: process.env,
    brokers: 1,
    progress: () => {},
    login: {
      protocol: "SASL_PLAINTEXT",
      settings: {
        "sasl.enabled.mechanisms": "PLAIN",
        "sasl.mechanism.inter.broker.protocol": "PLAIN",
        "listener.name.sasl_plaintext.plain.sasl.jaas.config": `${plain} required username="admin" password="a" user_admin="a" user_service="s";`,
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": "User:admin;User:ANONYMOUS",
      },
      format: [],
    },
  })
  const brokers = cluster.brokers.map(({ address }) => address)
  const connectAs = (username: string, password: string): KafkaConnection =>
    connectKafka({
      brokers,
      login: { mechanism: "plain", username, password },
      clientId: "acl-tests",
      log: silentLog,
    })
  const admin = connectAs("admin", "a")
  const [writable, readOnly, hidden] = ["writable", "read-only", "hidden"].map(uniqueName) as [
    string,
    string,
    string,
  ]
  await ensureTopics({
    kafka: admin,
    topics: [writable, readOnly, hidden].map((name) => ({ name, partitions: 2, config: {} })),
  })
  const acl = (resourceName: string, operation: number) => ({
    resourceType: 2,
    resourceName,
    resourcePatternType: 3,
    principal: "User:service",
    host: "*",
    operation,
    permissionType: 3,
  })
  const [write, describe] = [4, 8]
  await withAdmin(admin, (client) =>
    client.createAcls({ acl: [acl(writable, write), acl(readOnly, describe)] }),
  )
  const service = await startProducer({ kafka: connectAs("service", "s"), deadlineMs: 20_000 })
  const publish = (topic: string) => service.publish([{ topic, key: "k", value: "v" }])
  // The broker applies a new ACL a moment later.
  await until(() =>
    publish(writable).then(
      () => true,
      () => false,
    ),
  )
  const startedAt = performance.now()
  const [good, unwritable, invisible] = await Promise.allSettled([writable, readOnly, hidden].map(publish))
  expect(good?.status).toBe("fulfilled")
  for (const [outcome, topic] of [
    [unwritable, readOnly],
    [invisible, hidden],
  ] as const) {
    expect((outcome as PromiseRejectedResult).reason).toMatchObject({
      name: "PermanentPublishError",
      reason: "TOPIC_AUTHORIZATION_FAILED",
      scope: "topic",
      topic,
    })
  }
  expect(performance.now() - startedAt).toBeLessThan(3_000)
  // Once an operator grants the permission, publishing succeeds without a restart.
  await withAdmin(admin, (client) => client.createAcls({ acl: [acl(readOnly, write), acl(hidden, write)] }))
  await until(() =>
    publish(readOnly).then(
      () => true,
      () => false,
    ),
  )
  await until(() =>
    publish(hidden).then(
      () => true,
      () => false,
    ),
  )
  await service.close(1_000)
  await cluster.stop()
  await rm(directory, { recursive: true, force: true })
})
