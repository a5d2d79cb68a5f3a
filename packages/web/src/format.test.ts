import { expect, test } from "vitest"
import { formatBytes, formatMs, formatPercent, formatSpan, formatUtc } from "./format.ts"

test("a span has its two largest units", () => {
  expect(formatSpan(0)).toBe("0 s")
  expect(formatSpan(59_000)).toBe("59 s")
  expect(formatSpan(7_505_000)).toBe("2 h 5 min")
  expect(formatSpan(3_600_000)).toBe("1 h")
  expect(formatSpan(90_061_000)).toBe("1 d 1 h")
})

test("a share below one is never shown as 100 %", () => {
  expect(formatPercent(0.99996)).toBe("99.99 %")
  expect(formatPercent(1)).toBe("100 %")
  expect(formatPercent(0.5)).toBe("50 %")
  expect(formatPercent(0)).toBe("0 %")
})

test("durations and sizes have a fitting unit", () => {
  expect(formatMs(0.4)).toBe("<1 ms")
  expect(formatMs(84.2)).toBe("84 ms")
  expect(formatMs(3_840)).toBe("3.84 s")
  expect(formatBytes(312)).toBe("312 B")
  expect(formatBytes(18_400)).toBe("18 KiB")
  expect(formatUtc(new Date("2026-03-01T12:00:00.250Z"))).toBe("2026-03-01 12:00:00.250 UTC")
})
