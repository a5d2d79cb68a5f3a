import { topicNames } from "@sitewire/contracts"
import type { AttemptRecord, FirstOutcome, Release } from "@sitewire/deliveries"
import { dueDelivery as due, newEvent } from "@sitewire/deliveries/fixtures/dueDelivery"
import { plainAttempt } from "@sitewire/deliveries/fixtures/plainAttempt"
import type { Acquired } from "@sitewire/limiter"
import { createLogger, noTracing } from "@sitewire/runtime"
import { expect, onTestFinished, test, vi } from "vitest"
import { createTestMetrics } from "../test/fixtures/testMetrics.ts"
import { createHandleDelivery, type HandleDeliveryParts } from "./handleDelivery.ts"

const retryDelaysMs = [60_000, 300_000, 900_000]
const topics = topicNames({ prefix: "", retryDelaysMs })

const rejected = { ...plainAttempt, error: "status", status: 500, excerpt: null } as const
const busy: Acquired = { kind: "rejected", reason: "busy" }
const open: Acquired = { kind: "rejected", reason: "breaker" }
const free: Acquired = { kind: "acquired", release: () => {} }

function partsWith(parts: Partial<HandleDeliveryParts> & { acquired: Acquired }): HandleDeliveryParts {
  const none = () => Promise.reject(new Error("not in this test"))
  return {
    send: none,
    network: { isOurFault: () => false },
    limiter: { acquire: () => parts.acquired, pause: () => {}, isOpen: () => false },
    backlogs: { queueReason: () => null, onDeferred: () => {}, backOff: () => {} },
    schedule: { delaysMs: retryDelaysMs, periodMs: 3_600_000 },
    publish: async () => ({ kind: "published" }),
    topics,
    storeDelivery: none,
    recordAttempt: none,
    releaseClaim: none,
    metrics: createTestMetrics(),
    tracing: noTracing,
    log: createLogger({ service: "test", level: "silent" }),
    ...parts,
  }
}

test("the permit of an attempt is released when the head of the response has arrived, although its body never ends", async () => {
  const released: string[] = []
  const excerpt = {
    complete: () => false,
    received: () => Buffer.alloc(0),
    within: () => new Promise<never>(() => {}),
  }
  void createHandleDelivery(
    partsWith({
      acquired: { kind: "acquired", release: (outcome) => void released.push(outcome) },
      send: async () => ({ ...rejected, excerpt }),
    }),
  )(due)
  await new Promise((resolve) => setImmediate(resolve))
  expect(released).toEqual(["failure"])
})

test.each([86_400_000, -86_400_000])(
  "a clock that is set by %s ms during an attempt neither ends nor lengthens the retry period",
  async (byMs) => {
    onTestFinished(() => void vi.restoreAllMocks())
    const recorded: AttemptRecord[] = []
    const handle = createHandleDelivery({
      ...partsWith({ acquired: free }),
      schedule: { delaysMs: retryDelaysMs, periodMs: 36_000_000 },
      async send() {
        const right = Date.now
        vi.spyOn(Date, "now").mockImplementation(() => right() + byMs)
        return rejected
      },
      async recordAttempt(attempt) {
        recorded.push(attempt)
      },
    })
    await handle(due)
    expect(recorded).toMatchObject([{ state: "pending" }])
    expect(Math.abs((recorded[0]?.elapsed_ms ?? 0) - 3_600_000)).toBeLessThan(600_000)
  },
)

test("the time from the event to its first attempt is measured, and not that of a retry", async () => {
  const metrics = createTestMetrics()
  const handle = createHandleDelivery(
    partsWith({
      acquired: free,
      metrics,
      send: async () => ({ ...rejected, error: null, duration_ms: 500 }),
      storeDelivery: async () => {},
      recordAttempt: async () => {},
    }),
  )
  const appendedAt = rejected.started_at.getTime() - 2_000
  await handle(newEvent({ appendedAt }))
  await handle(due)
  const { values } = await metrics.paidToAttempted.get()
  const of = (name: string) => values.find(({ metricName }) => metricName?.endsWith(name))?.value
  expect([of("_count"), of("_sum")]).toEqual([1, 2.5])
})

// A real database does not let a test choose when it responds.
test.each([
  { why: "its channel is busy", acquired: busy, reason: "busy" },
  { why: "its channel's breaker is open", acquired: open, reason: "breaker" },
  { why: "this process cannot send the attempt", acquired: free, reason: "fault" },
])(
  "a delivery that is deferred because $why is done once its row is written, and not before",
  async ({ acquired, reason }) => {
    const written = Promise.withResolvers<void>()
    const releases: Release[] = []
    const handle = createHandleDelivery(
      partsWith({
        acquired,
        releaseClaim: (release) => {
          releases.push(release)
          return written.promise
        },
      }),
    )
    let done = false
    const handled = handle(due).then(() => {
      done = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(done).toBe(false)
    expect(releases).toEqual([{ id: due.id, leaseExpiresAt: due.claim.leaseExpiresAt, reason }])
    written.resolve()
    await handled
  },
)

test("the retry period of a delivery that was never attempted has not started, unless its breaker is open", async () => {
  const stored: FirstOutcome[] = []
  for (const acquired of [busy, open]) {
    const storeDelivery = async (outcome: FirstOutcome) => void stored.push(outcome)
    await createHandleDelivery(partsWith({ acquired, storeDelivery }))(newEvent())
  }
  expect(stored[0]?.deferral?.elapsedMs).toBeNull()
  expect(stored[1]?.deferral?.elapsedMs).toBeGreaterThan(3_000_000)
})

test("a new event, and a retry, of a channel with deferred deliveries is deferred behind them, although the channel has capacity", async () => {
  const deferrals: unknown[] = []
  const handle = createHandleDelivery(
    partsWith({
      acquired: free,
      backlogs: { queueReason: () => "busy", onDeferred: () => {}, backOff: () => {} },
      storeDelivery: async ({ deferral }) => void deferrals.push(deferral),
      releaseClaim: async (release) => void deferrals.push(release),
    }),
  )
  await handle(newEvent())
  await handle(due)
  expect(deferrals).toMatchObject([{ reason: "busy" }, { id: due.id, reason: "busy" }])
})

test("a new event, and a retry, of a channel with a maximum rate is deferred, and attempted when it is claimed again", async () => {
  const deferrals: unknown[] = []
  let sent = 0
  const handle = createHandleDelivery(
    partsWith({
      acquired: free,
      send: async () => {
        sent += 1
        throw new Error("sent")
      },
      storeDelivery: async ({ deferral }) => void deferrals.push(deferral),
      releaseClaim: async (release) => void deferrals.push(release),
    }),
  )
  const channel = { ...due.channel, max_per_second: 10 }
  await handle({ ...newEvent(), channel })
  await handle({ ...due, channel })
  expect({ sent, deferrals }).toMatchObject({ sent: 0, deferrals: [{ reason: "rate" }, { reason: "rate" }] })
  await handle({ ...due, channel, claim: { ...due.claim, deferredAt: new Date() } })
  expect(sent).toBe(1)
})

test("no attempt starts when its lease is about to end: the claim is released", async () => {
  const released: Release[] = []
  let sent = 0
  await createHandleDelivery(
    partsWith({
      acquired: free,
      send: async () => {
        sent += 1
        return null
      },
      releaseClaim: async (release) => void released.push(release),
    }),
  )({ ...due, claim: { ...due.claim, attemptBefore: performance.now() - 1 } })
  expect(released).toMatchObject([{ id: due.id, reason: "busy" }])
  expect(sent).toBe(0)
})

test("a retry that the broker rejects for good blocks no partition: the row states when the retry is due", async () => {
  const recorded: unknown[] = []
  await createHandleDelivery(
    partsWith({
      acquired: free,
      send: async () => rejected,
      publish: async () => ({ kind: "rejected", why: "TOPIC_AUTHORIZATION_FAILED" }),
      recordAttempt: async (attempt) => void recorded.push(attempt),
      schedule: { delaysMs: retryDelaysMs, periodMs: 24 * 3_600_000 },
    }),
  )(due)
  expect(recorded).toMatchObject([{ state: "pending", scheduled: { delayMs: 900_000, failures: 3 } }])
})

// A real broker does not let a test choose when it acknowledges.
test("the record that wakes a retry is published when its row is written, and nothing waits for the broker", async () => {
  const steps: string[] = []
  await createHandleDelivery(
    partsWith({
      acquired: free,
      send: async () => rejected,
      async publish({ value }) {
        steps.push(String(value))
        return new Promise<never>(() => {})
      },
      recordAttempt: async () => void steps.push("recorded"),
      schedule: { delaysMs: retryDelaysMs, periodMs: 24 * 3_600_000 },
    }),
  )(due)
  expect(steps).toEqual(["recorded", JSON.stringify({ delivery: due.id, attempt: 4 })])
})
