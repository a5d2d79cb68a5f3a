import { expect, test } from "vitest"
import { type Decision, decide, type RetrySchedule } from "./decide.ts"

const minute = 60_000
const schedule: RetrySchedule = {
  delaysMs: [1, 5, 15, 60].map((minutes) => minutes * minute),
  periodMs: 360 * minute,
}
const now = new Date("2030-01-01T00:00:00Z")
const refused = { error: "status", status: 500 } as const
const unavailable = (retryAfterMs: number) =>
  ({ error: "status", status: 503, retryAfter: String(retryAfterMs / 1_000) }) as const
const stepOf = ({ state, retry }: Decision) => retry?.step ?? state

test("attempts come at 0, then after 1m, 5m, 15m, 1h and hourly, until the retry period of 6h ends", () => {
  const attempts = [0]
  for (let elapsedMs = 0, failures = 0; ; failures++) {
    const { retry } = decide(schedule, { failures, elapsedMs }, refused, now)
    if (retry === null) break
    expect(retry.failures).toBe(failures + 1)
    elapsedMs += retry.delayMs
    attempts.push(elapsedMs / minute)
  }
  expect(attempts).toEqual([0, 1, 6, 21, 81, 141, 201, 261, 321])
})

test.each([
  { case: "accepted", failures: 0, elapsed: 0, outcome: { error: null, status: 204 }, expected: "delivered" },
  {
    case: "accepted after its period",
    failures: 9,
    elapsed: 999,
    outcome: { error: null, status: 200 },
    expected: "delivered",
  },
  { case: "a shorter Retry-After", failures: 2, elapsed: 0, outcome: unavailable(1_000), expected: 2 },
  {
    case: "a longer Retry-After",
    failures: 0,
    elapsed: 0,
    outcome: unavailable(minute + 1_000),
    expected: 1,
  },
  {
    case: "a Retry-After between two delays",
    failures: 0,
    elapsed: 0,
    outcome: unavailable(16 * minute),
    expected: 3,
  },
  {
    case: "a Retry-After of days",
    failures: 0,
    elapsed: 0,
    outcome: unavailable(48 * 60 * minute),
    expected: 3,
  },
  {
    case: "a Retry-After past the period's end",
    failures: 0,
    elapsed: 330,
    outcome: unavailable(60 * minute),
    expected: 2,
  },
  {
    case: "the last minute, whatever Retry-After asks",
    failures: 0,
    elapsed: 359,
    outcome: unavailable(60 * minute),
    expected: 0,
  },
  {
    case: "no delay that fits",
    failures: 3,
    elapsed: 330,
    outcome: unavailable(60 * minute),
    expected: "dead",
  },
  {
    case: "a Retry-After that is a date",
    failures: 0,
    elapsed: 0,
    outcome: { error: "status", status: 429, retryAfter: "Tue, 01 Jan 2030 00:05:00 GMT" } as const,
    expected: 1,
  },
  {
    case: "a Retry-After that is neither seconds nor a date",
    failures: 0,
    elapsed: 0,
    outcome: { error: "status", status: 503, retryAfter: "soon" } as const,
    expected: 0,
  },
  {
    case: "Retry-After of another status",
    failures: 0,
    elapsed: 0,
    outcome: { ...unavailable(60 * minute), status: 500 },
    expected: 0,
  },
])("after $case: $expected", ({ failures, elapsed, outcome, expected }) => {
  expect(stepOf(decide(schedule, { failures, elapsedMs: elapsed * minute }, outcome, now))).toBe(expected)
})
