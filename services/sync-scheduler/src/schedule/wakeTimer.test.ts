import { expect, test } from "vitest"
import { createAlarm } from "./wakeTimer.ts"

async function took(sleep: Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await sleep
  return performance.now() - startedAt
}

test("a later time that is set during a sleep does not put off its own end", async () => {
  const alarm = createAlarm()
  const sleep = took(alarm.wait(50))
  alarm.within(5_000)
  expect(await sleep).toBeLessThan(1_000)
})

test("an earlier time that is set ends the sleep, during it and before it", async () => {
  const alarm = createAlarm()
  const sleep = took(alarm.wait(5_000))
  alarm.within(50)
  expect(await sleep).toBeLessThan(1_000)
  alarm.within(20)
  expect(await took(alarm.wait(5_000))).toBeLessThan(1_000)
})

test("a time that has come counts once, and one that has not is kept for the next sleep", async () => {
  const alarm = createAlarm()
  alarm.within(500)
  expect(await took(alarm.wait(10))).toBeLessThan(450)
  expect(await took(alarm.wait(5_000))).toBeLessThan(2_000)
  expect(await took(alarm.wait(60))).toBeGreaterThan(50)
})
