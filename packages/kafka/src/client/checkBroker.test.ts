import { expect, test } from "vitest"
import { realBroker, silent } from "../../test/fixtures/realBroker.ts"
import { checkBroker, waitForBroker } from "./checkBroker.ts"
import { connectKafka } from "./connectKafka.ts"

// Port 1 is reserved and refuses.
const nobody = connectKafka({ brokers: ["127.0.0.1:1"], clientId: "test", log: silent })

test("a broker that answers is reachable", async () => {
  expect(await checkBroker({ kafka: realBroker() })).toMatchObject({ status: "reachable" })
  await waitForBroker({ kafka: realBroker() })
})

test("one broker of those that are listed is enough, wherever it stands", async () => {
  const real = realBroker()
  expect(await checkBroker({ kafka: { ...real, brokers: [...nobody.brokers, ...real.brokers] } })).toEqual({
    status: "reachable",
  })
})

test("a broker that refuses is unreachable at once, with the reason", async () => {
  const start = Date.now()
  const state = await checkBroker({ kafka: nobody })
  expect(state).toMatchObject({ status: "unreachable", why: expect.stringContaining("ECONNREFUSED") })
  expect(Date.now() - start).toBeLessThan(1_000)
})

test("settings that do not suit a broker that is there are named", async () => {
  const kafka = realBroker()
  const tls = await checkBroker({ kafka: { ...kafka, tls: {} } })
  expect(tls).toMatchObject({ why: expect.stringContaining("see KAFKA_TLS") })
  const login = { mechanism: "scram-sha-512", username: "a", password: "b" } as const
  const asked = await checkBroker({ kafka: { ...kafka, login } })
  expect(asked).toMatchObject({ why: expect.stringContaining("see KAFKA_USERNAME") })
})

test("waiting is visible, and ends in an error that says what to do", async () => {
  const waits: string[] = []
  const waiting = waitForBroker({
    kafka: nobody,
    deadlineMs: 500,
    everyMs: 100,
    onWait: (_, why) => waits.push(why),
  })
  await expect(waiting).rejects.toThrow(/127\.0\.0\.1:1 did not answer .*ECONNREFUSED.*KAFKA_BROKERS/)
  expect(waits.length).toBeGreaterThan(1)
})
