import { expect, test } from "vitest"
import { formatValue } from "./formatValue.ts"
import { niceTicks } from "./niceTicks.ts"

test("an axis has round values and covers the highest one", () => {
  expect(niceTicks(0)).toEqual([0, 1])
  expect(niceTicks(9.3)).toEqual([0, 2.5, 5, 7.5, 10])
  expect(niceTicks(1)).toEqual([0, 0.25, 0.5, 0.75, 1])
  expect(niceTicks(200 * 1024 ** 2, 2).at(-1)).toBe(256 * 1024 ** 2)
})

test("values are shown with three digits and their unit", () => {
  expect(formatValue(0.0042, "seconds")).toBe("4.2 ms")
  expect(formatValue(900, "seconds")).toBe("15 min")
  expect(formatValue(0.0144, "share")).toBe("1.44 %")
  expect(formatValue(12.345, "per second")).toBe("12.3/s")
  expect(formatValue(Number.NaN, "count")).toBe("–")
})
