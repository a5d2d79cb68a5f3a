import { expect, test } from "vitest"
import { checkBroker, waitForBroker } from "./broker.ts"
import { connectKafka } from "./connect.ts"
import { realBroker, silent } from "./fixtures/realBroker.ts"

// Port 1 is reserved and refuses.
const nobody = connectKafka({ brokers: ["127.0.0.1:1"], clientId: "test", log: silent })

test("a broker that answers is reachable", async () => {
  expect(await checkBroker({ kafka: realBroker() })).toMatchObject({ status: "reachable" })
  await waitForBroker({ kafka: realBroker() })
})

test("a broker that refuses is unreachable at once, with the reason", async () => {
  const start = Date.now()
  const state = await checkBroker({ kafka: nobody })
  expect(state).toMatchObject({ status: "unreachable", why: expect.stringContaining("ECONNREFUSED") })
  expect(Date.now() - start).toBeLessThan(1_000)
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
