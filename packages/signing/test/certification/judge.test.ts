import { expect, test } from "vitest"
import { judgeBurst } from "../../src/certification/judge.ts"

test("an excerpt that ends within a character of two code units can be stored as JSON", () => {
  const excerpt = `${"x".repeat(199)}😀 and more`
  const response = { delivery: "d", status: 204, error: null, detail: null, duration_ms: 1 }
  const { received } = judgeBurst([{ response, excerpt }], 10_000)
  const stored = received?.[0]?.response_excerpt ?? ""
  expect(stored.slice(0, 199)).toBe(excerpt.slice(0, 199))
  // Postgres rejects half of a surrogate pair in jsonb.
  expect(stored.isWellFormed()).toBe(true)
})
