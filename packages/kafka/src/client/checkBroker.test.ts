import { expect, test } from "vitest"
import { realBroker, silentLog } from "../../test/fixtures/realBroker.ts"
import { checkBroker, requireBroker } from "./checkBroker.ts"
import { connectKafka } from "./connectKafka.ts"

// Port 1 is reserved: connections are refused.
const closedPort = connectKafka({ brokers: ["127.0.0.1:1"], clientId: "test", log: silentLog })

test("a broker that responds is reachable", async () => {
  expect(await checkBroker({ kafka: realBroker() })).toMatchObject({ status: "reachable" })
  await requireBroker(realBroker())
})

test("one reachable broker of the list is enough, at any position", async () => {
  const real = realBroker()
  expect(
    await checkBroker({ kafka: { ...real, brokers: [...closedPort.brokers, ...real.brokers] } }),
  ).toEqual({
    status: "reachable",
  })
})

test("a refused connection is reported at once as unreachable, with the reason", async () => {
  const state = await checkBroker({ kafka: closedPort, deadlineMs: 120_000 })
  expect(state).toMatchObject({ status: "unreachable", why: expect.stringContaining("ECONNREFUSED") })
})

test("settings that do not fit a reachable broker are named", async () => {
  const kafka = realBroker()
  const tls = await checkBroker({ kafka: { ...kafka, tls: {} } })
  expect(tls).toMatchObject({ why: expect.stringContaining("check KAFKA_TLS") })
  const login = { mechanism: "scram-sha-512", username: "a", password: "b" } as const
  const withLogin = await checkBroker({ kafka: { ...kafka, login } })
  expect(withLogin).toMatchObject({ why: expect.stringContaining("check KAFKA_USERNAME") })
})

test("a required broker that does not respond is an error with its address and the reason", async () => {
  await expect(requireBroker(closedPort)).rejects.toThrow(/127\.0\.0\.1:1 can be used: .*ECONNREFUSED/)
})
