import { createLogger } from "@sitewire/runtime"
import { expect, test } from "vitest"
import { createTestMetrics } from "../../test/fixtures/testMetrics.ts"
import { expireDeferred } from "./expireDeferred.ts"

const at = new Date()
const expired = (id: string, isPending = true) => ({
  id,
  isPending,
  channel: "acme",
  deferredAt: at,
  attempts: 1,
  since: at,
  correlation: "c",
})
const log = createLogger({ service: "test", level: "silent" })

// A real broker does not let a test choose when it acknowledges.
test("an expired delivery is marked dead when Kafka has its dead letter, and not before", async () => {
  const acknowledged = Promise.withResolvers<void>()
  const events: string[] = []
  const expire = expireDeferred({
    openBreakers: () => [{ key: "acme", openedAt: 0 }],
    claim: async () => [expired("d1")],
    publishDeadLetter: async () => {
      events.push("dead letter")
      await acknowledged.promise
      events.push("acknowledged")
    },
    markDead: async () => void events.push("row"),
    metrics: createTestMetrics(),
    log,
  })
  const expiring = expire(() => 0)
  await new Promise((resolve) => setImmediate(resolve))
  expect(events).toEqual(["dead letter"])
  acknowledged.resolve()
  await expiring
  expect(events).toEqual(["dead letter", "acknowledged", "row"])
})

test("a resend of a delivered delivery that expires has no dead letter, and does not count as dead", async () => {
  const metrics = createTestMetrics()
  const letters: string[] = []
  const ended: string[] = []
  const expire = expireDeferred({
    openBreakers: () => [{ key: "acme", openedAt: 0 }],
    claim: async () => [expired("pending"), expired("delivered", false)],
    publishDeadLetter: async ({ id }) => void letters.push(id),
    markDead: async (deliveries) => void ended.push(...deliveries.map(({ id }) => id)),
    metrics,
    log,
  })
  await expire(() => 0)
  expect(letters).toEqual(["pending"])
  expect(ended).toEqual(["pending", "delivered"])
  expect((await metrics.dead.get()).values[0]?.value).toBe(1)
})
