import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { parseFutureTime, parseTime } from "./parseTime.ts"

beforeEach(() => {
  vi.stubEnv("TZ", "Asia/Kolkata")
  vi.useFakeTimers({ now: new Date("2026-11-23T10:00:00+05:30"), toFake: ["Date"] })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
})

test.each([
  ["30s", "2026-11-23T09:59:30+05:30"],
  ["30m", "2026-11-23T09:30:00+05:30"],
  ["2h", "2026-11-23T08:00:00+05:30"],
  ["3d", "2026-11-20T10:00:00+05:30"],
  ["1w", "2026-11-16T10:00:00+05:30"],
  ["09:15", "2026-11-23T09:15:00+05:30"],
  ["10:00", "2026-11-23T10:00:00+05:30"],
  // Noon has not been today yet.
  ["12:00", "2026-11-22T12:00:00+05:30"],
  ["7:05:09", "2026-11-23T07:05:09+05:30"],
  ["today", "2026-11-23T00:00:00+05:30"],
  ["yesterday", "2026-11-22T00:00:00+05:30"],
  ["2026-11-21", "2026-11-21T00:00:00+05:30"],
  ["2026-11-21T04:00", "2026-11-21T04:00:00+05:30"],
  ["2026-11-21T04:00:00Z", "2026-11-21T04:00:00Z"],
  ["2026-11-21T04:00:00+01:00", "2026-11-21T04:00:00+01:00"],
])("%s is %s", (text, instant) => {
  expect(parseTime(text)).toBe(new Date(instant).toISOString())
})

test.each([
  ["90d", "2027-02-21T10:00:00+05:30"],
  ["12:00", "2026-11-23T12:00:00+05:30"],
  ["10:00", "2026-11-24T10:00:00+05:30"],
  ["2027-01-31T00:00:00Z", "2027-01-31T00:00:00Z"],
])("in the future, %s is %s", (text, instant) => {
  expect(parseFutureTime(text)).toBe(new Date(instant).toISOString())
})

test.each([
  "",
  "h",
  "2 h",
  "-2h",
  "2y",
  "24:00",
  "12:60",
  "tomorrow",
  "2026-02-31",
  "2026-13-01T00:00Z",
  "9999999d",
])("%j is rejected with the valid forms", (text) => {
  expect(() => parseTime(text)).toThrow("2h (ago), 12:00, yesterday, 2026-11-21T04:00:00Z")
})
