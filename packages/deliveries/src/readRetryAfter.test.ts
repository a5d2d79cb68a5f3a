import { expect, test } from "vitest"
import { readRetryAfter } from "./readRetryAfter.ts"

test("Retry-After is read from 429 and 503 alone, as seconds or as a date", () => {
  const now = new Date("2030-01-01T00:00:00Z")
  expect(readRetryAfter(429, "120", now)).toBe(120_000)
  expect(readRetryAfter(503, "Tue, 01 Jan 2030 00:02:00 GMT", now)).toBe(120_000)
  expect(readRetryAfter(503, "Mon, 31 Dec 2029 00:02:00 GMT", now)).toBe(0)
  expect(readRetryAfter(500, "120", now)).toBeUndefined()
  expect(readRetryAfter(503, "soon", now)).toBeUndefined()
  expect(readRetryAfter(503, undefined, now)).toBeUndefined()
})
