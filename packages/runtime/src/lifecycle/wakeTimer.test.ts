import { expect, test } from "vitest"
import { createWakeTimer } from "./wakeTimer.ts"

async function durationOf(sleep: Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await sleep
  return performance.now() - startedAt
}

test("a later wake time does not lengthen a sleep", async () => {
  const timer = createWakeTimer(new AbortController().signal)
  const sleep = durationOf(timer.sleep(50))
  timer.wakeWithin(5_000)
  expect(await sleep).toBeLessThan(1_000)
})

test("an earlier wake time ends the sleep, whether it is set during the sleep or before", async () => {
  const timer = createWakeTimer(new AbortController().signal)
  const sleep = durationOf(timer.sleep(5_000))
  timer.wakeWithin(50)
  expect(await sleep).toBeLessThan(1_000)
  timer.wakeWithin(20)
  expect(await durationOf(timer.sleep(5_000))).toBeLessThan(1_000)
})

test("a wake time ends one sleep, and stays set for the next sleep until it is reached", async () => {
  const timer = createWakeTimer(new AbortController().signal)
  timer.wakeWithin(500)
  expect(await durationOf(timer.sleep(10))).toBeLessThan(450)
  expect(await durationOf(timer.sleep(5_000))).toBeLessThan(2_000)
  expect(await durationOf(timer.sleep(60))).toBeGreaterThan(50)
})
