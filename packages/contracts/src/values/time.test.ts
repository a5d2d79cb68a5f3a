import { expect, test } from "vitest"
import { timeSchema } from "./time.ts"

test.each([
  ["2026-11-21T04:00:00Z", "2026-11-21T04:00:00.000Z"],
  ["2026-01-01T00:00:00+23:00", "2025-12-31T01:00:00.000Z"],
  ["2026-01-01T00:00:00.11111111111Z", "2026-01-01T00:00:00.111Z"],
  ["1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000Z"],
  ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"],
])("the time %s is normalised to %s", (input, normalised) => {
  expect(timeSchema.parse(input)).toBe(normalised)
})

test.each([
  ["yesterday", "must be a time with a UTC offset, such as 2026-03-01T12:00:00Z"],
  ["2026-11-21T04:00:00", "needs a UTC offset, such as 2026-03-01T12:00:00Z"],
  ["2026-11-21T04:00", "needs a UTC offset, such as 2026-03-01T12:00:00Z"],
  ["2026-02-30T12:00:00Z", "is on a day that does not exist"],
  ["2026-03-01T25:00:00Z", "is at a time of day, or has a UTC offset, that does not exist"],
  ["0000-01-01T00:00:00Z", "1970 to 9999"],
  ["1970-01-01T00:00:00+00:01", "1970 to 9999"],
  ["9999-12-31T23:59:59-23:00", "1970 to 9999"],
])("the time %s is rejected with one message, which states what is wrong", (input, message) => {
  const messages = timeSchema.safeParse(input).error?.issues.map((issue) => issue.message)
  expect(messages).toEqual([expect.stringContaining(message)])
})
