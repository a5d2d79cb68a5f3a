import { expect, test } from "vitest"
import { countDue, msUntilDue } from "./dueRecords.ts"

test("a record is due at its append time plus the delay, and not a millisecond before", () => {
  const records = [{ appendedAt: 1_000 }, { appendedAt: 1_000 }, { appendedAt: 1_001 }]
  expect(countDue(records, 0, 500, 1_499)).toBe(0)
  expect(countDue(records, 0, 500, 1_500)).toBe(2)
  expect(countDue(records, 0, 500, 1_501)).toBe(3)
  expect(countDue(records, 2, 500, 1_501)).toBe(1)
})

test("without a delay every record is due, even if its timestamp is in the future", () => {
  expect(countDue([{ appendedAt: 9_999 }], 0, 0, 1_000)).toBe(1)
})

test("a delay of months does not overflow the timer, which would then fire at once", () => {
  const months = 100 * 24 * 3_600_000
  expect(msUntilDue({ appendedAt: 0 }, months, 0)).toBe(10_000)
  expect(msUntilDue({ appendedAt: 0 }, 1_000, 999.5)).toBe(1)
})
