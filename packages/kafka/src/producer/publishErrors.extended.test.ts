import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startKafkaCluster } from "@sitewire/testkit/backing"
import { expect, test } from "vitest"
import { silentLog, uniqueName, withAdmin } from "../../test/fixtures/realBroker.ts"
import { until } from "../../test/fixtures/until.ts"
import { ensureTopics } from "../admin/ensureTopics.ts"
import { connectKafka, type KafkaConnection } from "../client/connectKafka.ts"
import { startProducer } from "./startProducer.ts"

test("publishing without permission to write or describe a topic rejects at once with the cause; other topics are published to", async () => {
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
  const service = await startProducer({ kafka: connectAs("service", "s"), deadlineMs: 60_000 })
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
  expect(performance.now() - startedAt).toBeLessThan(30_000)
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
