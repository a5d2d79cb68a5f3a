import { expect, test } from "vitest"
import { createEqualShare } from "./hostLimiter.ts"

function start() {
  const clock = { now: 0 }
  const share = createEqualShare({
    maxRunning: 64,
    windowMs: 60_000,
    mostMs: 10_000,
    now: () => clock.now,
  })
  const sync = (count: number) => {
    for (let syncs = 0; syncs < count; syncs++) share.countSync()
  }
  return { clock, share, sync }
}

test("the more syncs there are in a window, the less each may take to use no more than its equal share", () => {
  const { clock, share, sync } = start()
  expect(share.ms()).toBe(10_000)
  sync(600)
  expect(share.ms()).toBe(6_400)
  clock.now = 60_000
  expect(share.ms()).toBe(6_400)
  sync(1_200)
  expect(share.ms()).toBe(3_200)
})

test("after two windows without a sync, none counts", () => {
  const { clock, share, sync } = start()
  sync(600)
  clock.now = 120_000
  expect(share.ms()).toBe(10_000)
})
