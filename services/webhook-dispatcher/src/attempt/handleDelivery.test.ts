import { topicNames } from "@sitewire/contracts"
import type { Acquired } from "@sitewire/limiter"
import { createLogger, noTracing } from "@sitewire/runtime"
import { expect, onTestFinished, test, vi } from "vitest"
import { dueDelivery as due } from "../../test/fixtures/dueDelivery.ts"
import { createTestMetrics } from "../../test/fixtures/testMetrics.ts"
import type { Deferral } from "../deferred/deferDeliveries.ts"
import type { ClaimedDelivery } from "../deferred/releaseClaims.ts"
import type { NewDelivery } from "../delivery.ts"
import type { AttemptRecord } from "../outcome/recordAttempts.ts"
import { createScheduleRetry } from "../retry/scheduleRetry.ts"
import { createHandleDelivery, type HandleDeliveryParts } from "./handleDelivery.ts"

const retryDelaysMs = [60_000, 300_000, 900_000]
const topics = topicNames({ prefix: "", retryDelaysMs })

const sent = { url: "https://partner.example", requestHeaders: "" }
const rejected = {
  error: "status",
  status: 500,
  detail: null,
  address: null,
  ...sent,
  excerpt: null,
} as const
const busy: Acquired = { kind: "rejected", reason: "busy" }
const open: Acquired = { kind: "rejected", reason: "breaker" }
const free: Acquired = { kind: "acquired", release: () => {} }

function partsWith(parts: Partial<HandleDeliveryParts> & { acquired: Acquired }): HandleDeliveryParts {
  const none = () => Promise.reject(new Error("not in this test"))
  return {
    send: none,
    network: { isOurFault: () => false, isDown: () => false },
    limiter: { acquire: () => parts.acquired, pause: () => {}, isOpen: () => false },
    backlog: { queueReason: () => null, onDeferred: () => {}, backOff: () => {} },
    schedule: { delaysMs: retryDelaysMs, periodMs: 3_600_000 },
    scheduleRetry: none,
    storeDelivery: none,
    recordAttempt: none,
    deferDelivery: none,
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
  const timing = { startedAt: new Date(), totalMs: 1 }
  void createHandleDelivery(
    partsWith({
      acquired: { kind: "acquired", release: (outcome) => void released.push(outcome) },
      send: async () => ({ ...rejected, timing, excerpt }),
      scheduleRetry: async () => {},
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
        return { ...rejected, timing: { startedAt: new Date(), totalMs: 1 } }
      },
      scheduleRetry: async () => {},
      async recordAttempt(attempt) {
        recorded.push(attempt)
      },
    })
    await handle(due)
    expect(recorded).toMatchObject([{ state: "pending" }])
    expect(Math.abs((recorded[0]?.elapsedMs ?? 0) - 3_600_000)).toBeLessThan(600_000)
  },
)

test("the time from the event to its first attempt is measured, and not that of a retry", async () => {
  const metrics = createTestMetrics()
  const timing = { startedAt: new Date(), totalMs: 500 }
  const handle = createHandleDelivery(
    partsWith({
      acquired: free,
      metrics,
      send: async () => ({ ...rejected, error: null, timing }),
      storeDelivery: async () => {},
      recordAttempt: async () => {},
    }),
  )
  const appendedAt = timing.startedAt.getTime() - 2_000
  await handle({ ...due, attempt: 1, failures: 0, unstored: { appendedAt } as NewDelivery })
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
    const deferrals: Deferral[] = []
    const handle = createHandleDelivery(
      partsWith({
        acquired,
        deferDelivery: (deferral) => {
          deferrals.push(deferral)
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
    expect(deferrals).toMatchObject([{ id: due.id, reason, attempt: 3, failures: 2 }])
    // One hour of the retry period has been used, and the deferral preserves that.
    expect(Math.abs((deferrals[0]?.elapsedMs ?? 0) - 3_600_000)).toBeLessThan(600_000)
    written.resolve()
    await handled
  },
)

test("the retry period of a delivery that was never attempted has not started, unless its breaker is open", async () => {
  const deferrals: Deferral[] = []
  for (const acquired of [busy, open]) {
    const deferDelivery = async (deferral: Deferral) => void deferrals.push(deferral)
    await createHandleDelivery(partsWith({ acquired, deferDelivery }))({ ...due, attempt: 1, failures: 0 })
  }
  expect(deferrals[0]?.elapsedMs).toBeNull()
  expect(deferrals[1]?.elapsedMs).toBeGreaterThan(3_000_000)
})

test("a new event of a channel with deferred deliveries is deferred behind them, although the channel has capacity", async () => {
  const deferrals: Deferral[] = []
  await createHandleDelivery(
    partsWith({
      acquired: free,
      backlog: { queueReason: () => "busy", onDeferred: () => {}, backOff: () => {} },
      deferDelivery: async (deferral) => void deferrals.push(deferral),
    }),
  )(due)
  expect(deferrals).toMatchObject([{ id: due.id, reason: "busy" }])
})

test("a new event of a channel with a maximum rate is deferred, and attempted when it is claimed", async () => {
  const deferrals: Deferral[] = []
  let sent = 0
  const handle = createHandleDelivery(
    partsWith({
      acquired: free,
      send: async () => {
        sent += 1
        throw new Error("sent")
      },
      deferDelivery: async (deferral) => void deferrals.push(deferral),
      releaseClaim: async () => {},
    }),
  )
  const limited = { ...due, channel: { ...due.channel, maxPerSecond: 10 } }
  await handle(limited)
  expect({ sent, deferrals }).toMatchObject({ sent: 0, deferrals: [{ id: due.id, reason: "rate" }] })
  const attemptBefore = performance.now() + 10_000
  const claim = { deferredAt: new Date(), leaseExpiresAt: new Date(), attemptBefore, startAt: 0 }
  await handle({ ...limited, claim })
  expect(sent).toBe(1)
})

test("no attempt starts when its lease is about to end: the claim is released", async () => {
  const released: ClaimedDelivery[] = []
  const leaseExpiresAt = new Date()
  let sent = 0
  await createHandleDelivery(
    partsWith({
      acquired: free,
      send: async () => {
        sent += 1
        return null
      },
      releaseClaim: async (claimed) => void released.push(claimed),
    }),
  )({
    ...due,
    claim: { deferredAt: new Date(), leaseExpiresAt, attemptBefore: performance.now() - 1, startAt: 0 },
  })
  expect(released).toEqual([{ id: due.id, leaseExpiresAt }])
  expect(sent).toBe(0)
})

test("a retry that the broker rejects for good blocks no partition: the row states when the retry is due", async () => {
  const recorded: unknown[] = []
  await createHandleDelivery(
    partsWith({
      acquired: free,
      send: async () => ({ ...rejected, timing: { startedAt: new Date(), totalMs: 1 } }),
      scheduleRetry: createScheduleRetry(
        async () => ({ kind: "rejected", why: "TOPIC_AUTHORIZATION_FAILED" }),
        topics.retry,
      ),
      recordAttempt: async (attempt) => void recorded.push(attempt),
      schedule: { delaysMs: retryDelaysMs, periodMs: 24 * 3_600_000 },
    }),
  )(due)
  expect(recorded).toMatchObject([{ state: "pending", scheduled: { delayMs: 900_000, failures: 3 } }])
})

// A real broker does not let a test choose when it acknowledges.
test("an attempt that failed is recorded when Kafka has the retry, and not before", async () => {
  const acknowledged = Promise.withResolvers<void>()
  const steps: string[] = []
  const append = async () => {
    steps.push("appended")
    await acknowledged.promise
    steps.push("acknowledged")
  }
  const handled = createHandleDelivery(
    partsWith({
      acquired: free,
      send: async () => ({ ...rejected, timing: { startedAt: new Date(), totalMs: 1 } }),
      scheduleRetry: createScheduleRetry(() => append().then(() => ({ kind: "published" })), topics.retry),
      recordAttempt: async () => void steps.push("recorded"),
      schedule: { delaysMs: retryDelaysMs, periodMs: 24 * 3_600_000 },
    }),
  )(due)
  await new Promise((resolve) => setImmediate(resolve))
  expect(steps).toEqual(["appended"])
  acknowledged.resolve()
  await handled
  expect(steps).toEqual(["appended", "acknowledged", "recorded"])
})
