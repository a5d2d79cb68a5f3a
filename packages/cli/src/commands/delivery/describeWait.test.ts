import { expect, test } from "vitest"
import { relativeTime } from "../../output/time.ts"
import { describeWait } from "./describeWait.ts"

const now = new Date("2030-01-02T12:00:00Z")
const ago = (minutes: number) => new Date(now.getTime() - minutes * 60_000).toISOString()
const firstAttempt = {
  state: "pending",
  attempts: 0,
  next_attempt_at: null,
  deferred_at: null,
  waiting_for: null,
} as const
const describe = (delivery: Partial<Parameters<typeof describeWait>[0]>, pausedAt: string | null = null) =>
  describeWait(
    { ...firstAttempt, ...delivery },
    { pausedAt, now, formatTime: (iso) => relativeTime(iso, now) },
  )

test("the text of a deferred delivery contains the reason and the time of its deferral", () => {
  expect(describe({ deferred_at: ago(5), waiting_for: "busy" })).toBe(
    "deferred: its channel has no capacity (since 5m ago)",
  )
  expect(describe({ deferred_at: ago(5), waiting_for: "breaker" })).toContain("circuit breaker is open")
  expect(describe({ deferred_at: ago(5), waiting_for: "fault" })).toContain("it cannot be sent")
  expect(describe({ state: "delivered", deferred_at: ago(5), waiting_for: "resend" })).toBe(
    "deferred: a resend was requested (since 5m ago)",
  )
  expect(describe({ deferred_at: ago(5), waiting_for: "paused" })).toContain("was paused and is resuming")
})

test("a delivery of a paused channel waits for the end of the pause, and is never overdue", () => {
  const since = "channel paused since 90m ago"
  expect(describe({ deferred_at: ago(5), waiting_for: "paused" }, ago(90))).toBe(`deferred: ${since}`)
  expect(describe({ deferred_at: ago(5), waiting_for: "resend" }, ago(90))).toBe(`deferred: ${since}`)
  expect(describe({ next_attempt_at: ago(30) }, ago(90))).toBe(since)
  expect(describe({}, ago(90))).toBe(since)
  expect(describe({ state: "dead" }, ago(90))).toBeNull()
})

test("a scheduled delivery is overdue only if it is due for longer than an attempt takes", () => {
  expect(describe({ next_attempt_at: ago(-4) })).toBe("in 4m")
  expect(describe({ next_attempt_at: ago(0.2) })).toBe("12s ago")
  expect(describe({ next_attempt_at: ago(30) })).toBe("overdue since 30m ago")
  expect(describe({})).toBe("first attempt")
  expect(describe({ state: "delivered" })).toBeNull()
})
