import { type Certificate, makeCertificate } from "@sitewire/cli/receivers"
import { connectKafka } from "@sitewire/kafka"
import { silentLog, startProcess } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, test } from "vitest"
import { call } from "./fixtures/call.ts"
import { makeBrokerCertificate, makeTopics, startSecuredKafka } from "./fixtures/startSecuredKafka.ts"

let client: Certificate
let it: Awaited<ReturnType<typeof startSecuredKafka>>

/** Brokers that accept only clients with a certificate of the issuer, and need no other login. */
beforeAll(async () => {
  const certificates = makeBrokerCertificate()
  const { issuer } = certificates
  client = makeCertificate("DNS:gateway.test", 2, issuer)
  it = await startSecuredKafka({
    ...certificates,
    protocol: "SSL",
    settings: { "ssl.client.auth": "required" },
  })
  const tls = { ca: issuer.cert, ...client }
  await makeTopics(connectKafka({ brokers: it.brokers, tls, clientId: "test", log: silentLog }))
})

afterAll(() => it?.stop())

const environment = (identity?: Certificate) => ({
  ...it.environment,
  ...(identity && { KAFKA_CERTIFICATE: identity.cert, KAFKA_KEY: identity.key }),
})

test("identifies itself by its certificate, also while it is being replaced by another", async () => {
  const successor = makeCertificate("DNS:gateway.test", 2, it.issuer)
  const gateways = await Promise.all(
    [client, successor].map((identity) =>
      startProcess("services/trigger-gateway/src/main.ts", environment(identity)),
    ),
  )
  try {
    for (const gateway of gateways) {
      expect(await call(gateway.addresses.gateway + it.path)).toMatchObject({ status: 202 })
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
