import type { StreamedDelivery } from "@sitewire/contracts"
import { expect, test } from "vitest"
import { createAttemptMemory } from "./relayDeliveries.ts"

const at = (second: number, number = 1) => ({
  number,
  started_at: new Date(second * 1_000).toISOString(),
  duration_ms: 500,
  status: 204,
  error: null,
})
const change = (id: string, last_attempt: StreamedDelivery["last_attempt"]) =>
  ({ id, last_attempt }) as StreamedDelivery

test("an attempt is new once, and neither what ended earlier nor a delivery without an attempt is", () => {
  const isNew = createAttemptMemory({ since: 10_000 })
  expect(isNew(change("a", null))).toBe(false)
  expect(isNew(change("a", at(9)))).toBe(false)
  expect(isNew(change("a", at(10)))).toBe(true)
  expect(isNew(change("a", at(10)))).toBe(false)
  expect(isNew(change("a", at(11, 2)))).toBe(true)
  expect(isNew(change("b", at(11)))).toBe(true)
})

test("of more attempts than are remembered, a forgotten one is not new again", () => {
  const isNew = createAttemptMemory({ since: 0, most: 3 })
  for (let second = 1; second <= 100; second++) expect(isNew(change(`d${second}`, at(second)))).toBe(true)
  for (let second = 1; second <= 100; second++) expect(isNew(change(`d${second}`, at(second)))).toBe(false)
  expect(isNew(change("late", at(99)))).toBe(true)
})
