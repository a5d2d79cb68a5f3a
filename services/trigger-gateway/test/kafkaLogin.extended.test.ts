import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Certificate, makeCertificate } from "@sitewire/cli/receivers"
import { topicCatalogue, topicConfig } from "@sitewire/contracts"
import { openPool } from "@sitewire/database"
import { connectKafka, ensureTopics, topicEnd } from "@sitewire/kafka"
import { type FreshDatabase, freshDatabase, silentLog, startProcess } from "@sitewire/testkit"
import { startKafkaCluster } from "@sitewire/testkit/backing"
import { afterAll, beforeAll, expect, test } from "vitest"
import { call } from "./fixtures/call.ts"
import { addConnection } from "./fixtures/connections.ts"

const username = "sitewire"
const password = "a password of the tests"

let issuer: Certificate
let database: FreshDatabase
let path: string
let directory: string
let cluster: Awaited<ReturnType<typeof startKafkaCluster>>
let brokers: string[]

beforeAll(async () => {
  issuer = makeCertificate("DNS:issuer.test")
  const { key, cert } = makeCertificate("IP:127.0.0.1", 2, issuer)
  database = await freshDatabase()
  const pool = openPool({ url: database.url, size: 1, name: "gateway-tests" })
  path = (await addConnection(pool.sql, "login")).path
  await pool.close()
  directory = await mkdtemp(join(tmpdir(), "gateway-login-"))
  const [keys, trusted] = [join(directory, "keys.pem"), join(directory, "trusted.pem")]
  await Promise.all([writeFile(keys, key + cert), writeFile(trusted, issuer.cert)])
  const plain = "org.apache.kafka.common.security.plain.PlainLoginModule"
  const account = `username="${username}" password="${password}"`
  cluster = await startKafkaCluster({
    directory,
    jars: join(import.meta.dirname, "../../../.sitewire/jars"),
    env: process.env,
    brokers: 1,
    progress: () => {},
    login: {
      protocol: "SASL_SSL",
      settings: {
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": keys,
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": trusted,
        "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512",
        "sasl.mechanism.inter.broker.protocol": "PLAIN",
        "listener.name.sasl_ssl.plain.sasl.jaas.config": `${plain} required ${account} user_${username}="${password}";`,
        "listener.name.sasl_ssl.scram-sha-256.sasl.jaas.config":
          "org.apache.kafka.common.security.scram.ScramLoginModule required;",
        "listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config":
          "org.apache.kafka.common.security.scram.ScramLoginModule required;",
      },
      format: ["SCRAM-SHA-256", "SCRAM-SHA-512"].flatMap((mechanism) => [
        "--add-scram",
        `${mechanism}=[name=${username},password=${password}]`,
      ]),
    },
  })
  brokers = cluster.brokers.map(({ address }) => address)
})

afterAll(async () => {
  await cluster?.stop()
  await database?.drop()
  if (directory) await rm(directory, { recursive: true, force: true })
})

/** The gateway logs in like every service that publishes. */
const startGateway = (env: Record<string, string>) =>
  startProcess("services/trigger-gateway/src/main.ts", { ...environment(), ...env })

const environment = () => ({
  GATEWAY_HOST: "127.0.0.1",
  GATEWAY_PORT: "0",
  GATEWAY_DRAIN_DELAY: "0s",
  DATABASE_URL: database.url,
  KAFKA_BROKERS: brokers.join(),
  KAFKA_TLS: "true",
  KAFKA_CA: issuer.cert,
  KAFKA_USERNAME: username,
  KAFKA_PASSWORD: password,
})

test.each(["plain", "scram-sha-256", "scram-sha-512"] as const)(
  "logs in by %s over TLS and is ready",
  async (mechanism) => {
    const login = { mechanism, username, password }
    const kafka = connectKafka({ brokers, tls: { ca: issuer.cert }, login, clientId: "test", log: silentLog })
    const catalogue = topicCatalogue({ prefix: "", retryDelaysMs: [], retryPeriodMs: 3_600_000 })
    const topics = catalogue.map((topic) => ({ ...topic, partitions: 1, config: topicConfig(topic, 1) }))
    await ensureTopics({ kafka, topics })
    const count = async () => Number((await topicEnd({ kafka, topic: "connector.triggered" }))[0])
    const before = await count()
    const gateway = await startGateway({ KAFKA_SASL_MECHANISM: mechanism })
    try {
      expect(await call(gateway.addresses.gateway + path)).toMatchObject({ status: 202 })
      expect(await call(`${gateway.addresses.ops}/readyz`, { method: "GET" })).toMatchObject({ status: 200 })
      expect(await count()).toBe(before + 1)
      expect(gateway.output()).not.toContain(password)
    } finally {
      await gateway.end()
    }
  },
)

test("a service that consumes logs in as well", async () => {
  // A service is ready when it has joined its consumer group.
  const scheduler = await startProcess("services/sync-scheduler/src/main.ts", {
    ...environment(),
    SEALING_KEYS: `k1:${Buffer.alloc(32, 7).toString("base64")}`,
  })
  expect(await scheduler.end()).toBe(0)
})

test.each([
  ["a wrong password", () => ({ KAFKA_PASSWORD: "another" }), /SASL|authentication/i],
  [
    "a certificate of an unknown issuer",
    () => ({ KAFKA_CA: makeCertificate("DNS:other.test").cert }),
    /certificate.*check KAFKA_CA/,
  ],
])("%s ends the start with the reason", async (_, makeEnv, reason) => {
  const starting = startGateway({ STARTUP_DEADLINE: "2s", ...makeEnv() })
  const output = await starting.then(
    () => "it started",
    (error: Error) => error.message,
  )
  expect(output).toMatch(reason)
  expect(output).not.toContain(password)
})
