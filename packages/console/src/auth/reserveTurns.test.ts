import { expect, test } from "vitest"
import { reserveTurns } from "./limitRate.ts"

const longestWaitMs = 4_000

function start() {
  const clock = { at: 1_000_000 }
  return { clock, reserve: reserveTurns(longestWaitMs, () => clock.at) }
}

test("ten turns are at once, and then one every 200 ms at 300 a minute, until the wait would be too long", () => {
  const { clock, reserve } = start()
  const waits = Array.from({ length: 30 }, () => reserve("a", 300))
  expect(waits).toEqual([...Array(10).fill(0), ...Array.from({ length: 20 }, (_, at) => 200 * (at + 1))])
  for (const _ of [1, 2, 3]) expect(reserve("a", 300)).toBe(4_200)
  clock.at += 1_000
  expect(Array.from({ length: 6 }, () => reserve("a", 300))).toEqual([
    3_200, 3_400, 3_600, 3_800, 4_000, 4_200,
  ])
})

test("however the requests of a minute are spread, no more get a turn than the limit, those at once, and those that still wait", () => {
  for (const pauseMs of [1, 150, 5_000]) {
    const { clock, reserve } = start()
    let turns = 0
    for (const endsAt = clock.at + 60_000; clock.at < endsAt; clock.at += pauseMs)
      for (let n = 0; n < 50; n++) if (reserve("a", 300) <= longestWaitMs) turns++
    expect(turns, `every ${pauseMs} ms`).toBeLessThanOrEqual(300 + 10 + 20)
  }
})

test("ids have turns of their own, and no more at once than in a minute", () => {
  const { clock, reserve } = start()
  expect(Array.from({ length: 4 }, () => reserve("a", 3))).toEqual([0, 0, 0, 20_000])
  expect(reserve("b", 3)).toBe(0)
  clock.at += 60_000
  expect(Array.from({ length: 4 }, () => reserve("a", 3))).toEqual([0, 0, 0, 20_000])
})

test("ids are forgotten when they have all their turns again, and not before", () => {
  const { clock, reserve } = start()
  for (let n = 0; n < 3; n++) reserve("a", 3)
  clock.at += 1_000
  for (let n = 0; n < 25_000; n++) reserve(`other-${n}`, 300)
  expect(reserve("a", 3)).toBe(19_000)
})
