import { createLogger } from "@sitewire/runtime"
import { expect, test } from "vitest"
import { createTestMetrics } from "../../test/fixtures/testMetrics.ts"
import { expireDeferred } from "./expireDeferred.ts"

// A real broker does not let a test choose when it acknowledges.
test("an expired delivery is marked dead when Kafka has its dead letter, and not before", async () => {
  const acknowledged = Promise.withResolvers<void>()
  const events: string[] = []
  const at = new Date()
  const expire = expireDeferred({
    openBreakers: () => [{ key: "acme", openedAt: 0 }],
    claim: async () => [
      { id: "d1", channel: "acme", deferredAt: at, attempts: 1, since: at, correlation: "c" },
    ],
    publishDeadLetter: async () => {
      events.push("dead letter")
      await acknowledged.promise
      events.push("acknowledged")
    },
    markDead: async () => void events.push("row"),
    metrics: createTestMetrics(),
    log: createLogger({ service: "test", level: "silent" }),
  })
  const expiring = expire()
  await new Promise((resolve) => setImmediate(resolve))
  expect(events).toEqual(["dead letter"])
  acknowledged.resolve()
  await expiring
  expect(events).toEqual(["dead letter", "acknowledged", "row"])
})
