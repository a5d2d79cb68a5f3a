import { createLogger } from "@sitewire/runtime"
import { expect, onTestFinished, test, vi } from "vitest"
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

test("thousands of open breakers are checked in turns, some of them each second", async () => {
  const clock = { now: 0 }
  vi.spyOn(performance, "now").mockImplementation(() => clock.now)
  onTestFinished(() => void vi.restoreAllMocks())
  const open = new Set(Array.from({ length: 3_000 }, (_, at) => `channel-${at}`))
  const checked: string[][] = []
  const expire = expireDeferred({
    openBreakers: () => [...open].map((key) => ({ key, openedAt: 0 })),
    claim: async (breakers) => {
      checked.push(breakers.map(({ channel }) => channel))
      return []
    },
    publishDeadLetter: async () => {},
    markDead: async () => {},
    metrics: createTestMetrics(),
    log,
  })
  for (let poll = 0; poll < 10; poll++) await expire(() => 0)
  expect(checked).toHaveLength(1)
  while (new Set(checked.flat()).size < open.size && checked.length < 1_000) {
    clock.now += 1_000
    await expire(() => 0)
  }
  expect(checked).toHaveLength(150)
  expect(Math.max(...checked.map(({ length }) => length))).toBe(20)
  open.delete("channel-0")
  clock.now += 1_000
  await expire(() => 0)
  expect(checked.at(-1)).toContain("channel-1")
  expect(checked.at(-1)).not.toContain("channel-0")
})
