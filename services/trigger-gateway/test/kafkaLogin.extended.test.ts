import { makeCertificate } from "@sitewire/cli/receivers"
import { connectKafka, topicEnd } from "@sitewire/kafka"
import { silentLog, startProcess } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, test } from "vitest"
import { call } from "./fixtures/call.ts"
import { makeBrokerCertificate, makeTopics, startSecuredKafka } from "./fixtures/startSecuredKafka.ts"

const username = "sitewire"
const password = "a password of the tests"

let it: Awaited<ReturnType<typeof startSecuredKafka>>

beforeAll(async () => {
  const plain = "org.apache.kafka.common.security.plain.PlainLoginModule"
  const scram = "org.apache.kafka.common.security.scram.ScramLoginModule"
  const account = `username="${username}" password="${password}"`
  it = await startSecuredKafka({
    ...makeBrokerCertificate(),
    protocol: "SASL_SSL",
    settings: {
      "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512",
      "sasl.mechanism.inter.broker.protocol": "PLAIN",
      "listener.name.sasl_ssl.plain.sasl.jaas.config": `${plain} required ${account} user_${username}="${password}";`,
      "listener.name.sasl_ssl.scram-sha-256.sasl.jaas.config": `${scram} required;`,
      "listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config": `${scram} required;`,
    },
    format: ["SCRAM-SHA-256", "SCRAM-SHA-512"].flatMap((mechanism) => [
      "--add-scram",
      `${mechanism}=[name=${username},password=${password}]`,
    ]),
  })
})

afterAll(() => it?.stop())

const environment = () => ({ ...it.environment, KAFKA_USERNAME: username, KAFKA_PASSWORD: password })

/** The gateway logs in like every service that publishes. */
const startGateway = (env: Record<string, string>) =>
  startProcess("services/trigger-gateway/src/main.ts", { ...environment(), ...env })

test.each(["plain", "scram-sha-256", "scram-sha-512"] as const)(
  "logs in by %s over TLS and is ready",
  async (mechanism) => {
    const login = { mechanism, username, password }
    const { brokers, issuer } = it
    const kafka = connectKafka({ brokers, tls: { ca: issuer.cert }, login, clientId: "test", log: silentLog })
    await makeTopics(kafka)
    const count = async () => Number((await topicEnd({ kafka, topic: "connector.triggered" }))[0])
    const before = await count()
    const gateway = await startGateway({ KAFKA_SASL_MECHANISM: mechanism })
    try {
      expect(await call(gateway.addresses.gateway + it.path)).toMatchObject({ status: 202 })
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
