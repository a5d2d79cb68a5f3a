import { expect, test } from "vitest"
import { instantSchema } from "./time.ts"

test.each([
  ["2026-11-21T04:00:00Z", "2026-11-21T04:00:00.000Z"],
  ["2026-01-01T00:00:00+23:00", "2025-12-31T01:00:00.000Z"],
  ["2026-01-01T00:00:00.11111111111Z", "2026-01-01T00:00:00.111Z"],
  ["1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000Z"],
  ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"],
])("the time %s is kept as %s", (given, kept) => {
  expect(instantSchema.parse(given)).toBe(kept)
})

test.each([
  ["yesterday", "with its offset"],
  ["2026-11-21T04:00:00", "with its offset"],
  ["0000-01-01T00:00:00Z", "1970 to 9999"],
  ["1970-01-01T00:00:00+00:01", "1970 to 9999"],
  ["9999-12-31T23:59:59-23:00", "1970 to 9999"],
])("the time %s is refused, and the one thing that is wrong with it named", (given, wrong) => {
  const faults = instantSchema.safeParse(given).error?.issues.map(({ message }) => message)
  expect(faults).toEqual([expect.stringContaining(wrong)])
})
