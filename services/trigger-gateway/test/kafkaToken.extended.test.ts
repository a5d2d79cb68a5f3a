import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { checkBroker, connectKafka, startConsumer, startProducer } from "@sitewire/kafka"
import { kafkaOptions, kafkaVariables, readConfig } from "@sitewire/runtime"
import { closedPort, silentLog, startProcess, waitUntil } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, test } from "vitest"
import { call } from "./fixtures/call.ts"
import { makeBrokerCertificate, makeTopics, startSecuredKafka } from "./fixtures/startSecuredKafka.ts"
import { client, startTokenServer } from "./fixtures/startTokenServer.ts"

let tokens: Awaited<ReturnType<typeof startTokenServer>>
/** Another server, with another key. */
let strangers: Awaited<ReturnType<typeof startTokenServer>>
let it: Awaited<ReturnType<typeof startSecuredKafka>>

/** Brokers that verify the tokens of an OAuth server by its public keys, and end sessions with their tokens. */
beforeAll(async () => {
  const certificates = makeBrokerCertificate()
  tokens = await startTokenServer(certificates.certificate)
  strangers = await startTokenServer(certificates.certificate)
  const plain = "org.apache.kafka.common.security.plain.PlainLoginModule"
  const oauth = "org.apache.kafka.common.security.oauthbearer"
  const ofTokens = "listener.name.sasl_ssl.oauthbearer"
  it = await startSecuredKafka({
    ...certificates,
    protocol: "SASL_SSL",
    settings: {
      "sasl.enabled.mechanisms": "PLAIN,OAUTHBEARER",
      "sasl.mechanism.inter.broker.protocol": "PLAIN",
      "listener.name.sasl_ssl.plain.sasl.jaas.config": `${plain} required username="broker" password="broker" user_broker="broker";`,
      [`${ofTokens}.sasl.jaas.config`]: `${oauth}.OAuthBearerLoginModule required;`,
      [`${ofTokens}.sasl.server.callback.handler.class`]: `${oauth}.OAuthBearerValidatorCallbackHandler`,
      [`${ofTokens}.connections.max.reauth.ms`]: "3600000",
      "sasl.oauthbearer.jwks.endpoint.url": tokens.keysUrl,
      // The default of Kafka 4.1.0 accepts tokens with any signature.
      "sasl.oauthbearer.jwt.validator.class": `${oauth}.BrokerJwtValidator`,
    },
    properties: { "org.apache.kafka.sasl.oauthbearer.allowed.urls": tokens.keysUrl },
  })
  await makeTopics(connect())
})

afterAll(async () => {
  await it?.stop()
  tokens?.close()
  strangers?.close()
})

const environment = () => ({ ...it.environment, KAFKA_SASL_MECHANISM: "oauthbearer" })
const fromEndpoint = (url: string) => ({
  KAFKA_TOKEN_ENDPOINT: url,
  KAFKA_USERNAME: client.id,
  KAFKA_PASSWORD: client.secret,
})

/** As in a process, but by http, because this process does not trust the issuer of the test's certificates. */
function connect(log = silentLog) {
  const env = { ...environment(), ...fromEndpoint(tokens.plainUrl) }
  return connectKafka({ ...kafkaOptions(readConfig(kafkaVariables, env)), clientId: "test", log })
}

const startGateway = (env: Record<string, string>) =>
  startProcess("services/trigger-gateway/src/main.ts", {
    ...environment(),
    NODE_EXTRA_CA_CERTS: it.trusted,
    ...env,
  })

test.each([
  ["a token endpoint, by https", async () => fromEndpoint(tokens.url)],
  [
    "a program",
    async () => {
      const file = join(it.directory, "token")
      await writeFile(file, `${tokens.issue()}\n`)
      return { KAFKA_TOKEN_COMMAND: `cat ${file}` }
    },
  ],
])("logs in with a token of %s, and is ready", async (_, makeEnv) => {
  const gateway = await startGateway(await makeEnv())
  try {
    expect(await call(gateway.addresses.gateway + it.path)).toMatchObject({ status: 202 })
    expect(await call(`${gateway.addresses.ops}/readyz`, { method: "GET" })).toMatchObject({ status: 200 })
    expect(gateway.output()).not.toMatch(/a secret of the tests|eyJ/)
  } finally {
    await gateway.end()
  }
})

test.each([
  [
    "a wrong client secret",
    () => ({ ...fromEndpoint(tokens.url), KAFKA_PASSWORD: "a wrong secret" }),
    /token endpoint at 127\.0\.0\.1:\d+ rejected the request \(HTTP 401, invalid_client\)\. Correct KAFKA_USERNAME \(the client id\) and KAFKA_PASSWORD/,
  ],
  [
    "a token endpoint that does not respond",
    async () => fromEndpoint(`https://127.0.0.1:${await closedPort()}/token`),
    /token endpoint at 127\.0\.0\.1:\d+ could not be used: .*ECONNREFUSED/,
  ],
  [
    "a token of a server that the brokers do not know",
    () => fromEndpoint(strangers.url),
    /The broker rejected the token \(invalid_token\)\. Check that it trusts the server/,
  ],
  [
    "a program that is not there",
    () => ({ KAFKA_TOKEN_COMMAND: "/nowhere/print-token --for kafka" }),
    /The program of KAFKA_TOKEN_COMMAND was not found/,
  ],
])("%s ends the start with the reason", async (_, makeEnv, reason) => {
  const output = await startGateway({ STARTUP_DEADLINE: "2s", ...(await makeEnv()) }).then(
    () => "it started",
    (error: Error) => error.message,
  )
  expect(output).toMatch(reason)
  expect(output).not.toMatch(/a (wrong )?secret|eyJ/)
})

test("connections log in again before their token ends, and recover from an outage of the token endpoint", async () => {
  // kafkajs logs in again 10 s before the end.
  tokens.state.lifetimeSeconds = 14
  const problems: string[] = []
  const joined: string[] = []
  const kafka = connect({
    ...silentLog,
    info: (_, message) => void joined.push(message),
    warn: (fields, message) => void problems.push(`${message} ${JSON.stringify(fields)}`),
    error: (fields, message) => void problems.push(`${message} ${JSON.stringify(fields)}`),
  })
  const topic = "connector.triggered"
  const received = new Set<string>()
  const producer = await startProducer({ kafka, deadlineMs: 5_000 })
  const consumer = await startConsumer({
    kafka,
    group: "tokens",
    topics: [{ topic }],
    maxOutstanding: 10,
    onRecords: (records, done) => {
      for (const record of records) {
        received.add(String(record.key))
        done(record)
      }
    },
  })
  try {
    const exchange = async (key: string) => {
      await producer.publish([{ topic, key, value: "{}" }])
      await waitUntil(`the record ${key}`, () => received.has(key))
    }
    await exchange("first")
    // The group's coordinator was made.
    problems.length = 0
    const firstTokenEndsAt = tokens.state.lastExpiresAt
    for (let n = 0; Date.now() < firstTokenEndsAt + 2_000; n++) await exchange(`repeated-${n}`)
    expect(joined.filter((message) => message === "consumer group joined")).toHaveLength(1)
    expect(problems).toEqual([])

    tokens.state.isAvailable = false
    await waitUntil("the end of the last token", () => Date.now() > tokens.state.lastExpiresAt, 30_000)
    await expect(producer.publish([{ topic, key: "lost", value: "{}" }])).rejects.toThrow(
      "did not acknowledge",
    )
    const why = /^The token endpoint at 127\.0\.0\.1:\d+ gave no token \(HTTP 503\)\.$/
    expect(await checkBroker({ kafka })).toEqual({ status: "unreachable", why: expect.stringMatching(why) })
    tokens.state.isAvailable = true
    await waitUntil("a publication", () => exchange("last").then(() => true))
    await waitUntil("the consumer", () => consumer.healthy())
  } finally {
    tokens.state.lifetimeSeconds = 3_600
    await Promise.all([producer.close(1_000), consumer.close(5_000)])
  }
})
