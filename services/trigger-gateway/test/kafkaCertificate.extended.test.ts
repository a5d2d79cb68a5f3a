import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Certificate, makeCertificate } from "@sitewire/cli/receivers"
import { topicCatalogue, topicConfig } from "@sitewire/contracts"
import { openPool } from "@sitewire/database"
import { connectKafka, ensureTopics } from "@sitewire/kafka"
import { type FreshDatabase, freshDatabase, silentLog, startProcess } from "@sitewire/testkit"
import { startKafkaCluster } from "@sitewire/testkit/backing"
import { afterAll, beforeAll, expect, test } from "vitest"
import { call } from "./fixtures/call.ts"
import { addConnection } from "./fixtures/connections.ts"

let issuer: Certificate
let client: Certificate
let database: FreshDatabase
let path: string
let directory: string
let cluster: Awaited<ReturnType<typeof startKafkaCluster>>
let brokers: string[]

/** Brokers that accept only clients with a certificate of the issuer, and need no other login. */
beforeAll(async () => {
  issuer = makeCertificate("DNS:issuer.test")
  client = makeCertificate("DNS:gateway.test", 2, issuer)
  const broker = makeCertificate("IP:127.0.0.1", 2, issuer)
  database = await freshDatabase()
  const pool = openPool({ url: database.url, size: 1, name: "gateway-tests" })
  path = (await addConnection(pool.sql, "certificate")).path
  await pool.close()
  directory = await mkdtemp(join(tmpdir(), "gateway-certificate-"))
  const [keys, trusted] = [join(directory, "keys.pem"), join(directory, "trusted.pem")]
  await Promise.all([writeFile(keys, broker.key + broker.cert), writeFile(trusted, issuer.cert)])
  cluster = await startKafkaCluster({
    directory,
    jars: join(import.meta.dirname, "../../../.sitewire/jars"),
    env: process.env,
    brokers: 1,
    progress: () => {},
    login: {
      protocol: "SSL",
      settings: {
        "ssl.client.auth": "required",
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": keys,
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": trusted,
      },
      format: [],
    },
  })
  brokers = cluster.brokers.map(({ address }) => address)
  const catalogue = topicCatalogue({ prefix: "", retryDelaysMs: [], retryPeriodMs: 3_600_000 })
  const topics = catalogue.map((topic) => ({ ...topic, partitions: 1, config: topicConfig(topic, 1) }))
  const kafka = connectKafka({
    brokers,
    tls: { ca: issuer.cert, ...client },
    clientId: "test",
    log: silentLog,
  })
  await ensureTopics({ kafka, topics })
})

afterAll(async () => {
  await cluster?.stop()
  await database?.drop()
  if (directory) await rm(directory, { recursive: true, force: true })
})

const environment = (identity?: Certificate) => ({
  GATEWAY_HOST: "127.0.0.1",
  GATEWAY_PORT: "0",
  GATEWAY_DRAIN_DELAY: "0s",
  DATABASE_URL: database.url,
  KAFKA_BROKERS: brokers.join(),
  KAFKA_TLS: "true",
  KAFKA_CA: issuer.cert,
  ...(identity && { KAFKA_CERTIFICATE: identity.cert, KAFKA_KEY: identity.key }),
})

test("identifies itself by its certificate, also while it is being replaced by another", async () => {
  const successor = makeCertificate("DNS:gateway.test", 2, issuer)
  const gateways = await Promise.all(
    [client, successor].map((identity) =>
      startProcess("services/trigger-gateway/src/main.ts", environment(identity)),
    ),
  )
  try {
    for (const gateway of gateways) {
      expect(await call(gateway.addresses.gateway + path)).toMatchObject({ status: 202 })
      expect(await call(`${gateway.addresses.ops}/readyz`, { method: "GET" })).toMatchObject({ status: 200 })
      expect(gateway.output()).not.toContain("PRIVATE KEY")
    }
  } finally {
    await Promise.all(gateways.map((gateway) => gateway.end()))
  }
})

test("a service that consumes identifies itself as well", async () => {
  const scheduler = await startProcess("services/sync-scheduler/src/main.ts", {
    ...environment(client),
    SEALING_KEYS: `k1:${Buffer.alloc(32, 7).toString("base64")}`,
  })
  expect(await scheduler.end()).toBe(0)
})

test.each([
  ["no certificate", () => undefined],
  [
    "a certificate of another issuer",
    () => makeCertificate("DNS:gateway.test", 2, makeCertificate("DNS:other.test")),
  ],
])("%s ends the start with a reason", async (_, makeIdentity) => {
  const starting = startProcess("services/trigger-gateway/src/main.ts", {
    ...environment(makeIdentity()),
    STARTUP_DEADLINE: "2s",
  })
  const output = await starting.then(
    () => "it started",
    (error: Error) => error.message,
  )
  expect(output).toMatch(/certificate|closed|TLS|SSL/i)
  expect(output).not.toContain("PRIVATE KEY")
})
