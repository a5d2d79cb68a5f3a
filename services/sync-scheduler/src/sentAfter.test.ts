import { expect, test } from "vitest"
import { sentAfter } from "./sentAfter.ts"

const startedAt = new Date()

test("an answer tells when its request was written, and bounds its way", () => {
  const timing = { startedAt, totalMs: 900, connectMs: 20, tlsMs: 30, firstByteMs: 40 }
  // Noticed 110 ms after the call, of which 40 had gone by since the writing: nothing is left out.
  expect(sentAfter(timing, 110)).toBe(110)
})

test("a source that takes long to answer does not make its window longer", () => {
  const timing = { startedAt, totalMs: 9_070, connectMs: 50, firstByteMs: 9_000 }
  expect(sentAfter(timing)).toBe(70 + 250)
})

test("a call without an answer counts up to what had to happen before the writing, with time between", () => {
  expect(sentAfter({ startedAt, totalMs: 50_000, lookupMs: 30, connectMs: 20 })).toBe(50 + 1_000 + 250)
  expect(sentAfter({ startedAt, totalMs: 12, connectMs: 2 })).toBe(12 + 250)
})
