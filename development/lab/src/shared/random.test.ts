import { expect, test } from "vitest"
import { createRandom } from "./random.ts"

test("a seed gives the same numbers again, and another seed others", () => {
  const take = (seed: number) => Array.from({ length: 20 }, createRandom(seed).next)
  expect(take(17)).toEqual(take(17))
  expect(take(17)).not.toEqual(take(18))
})

test("numbers stay within their bounds, both included, and shuffling keeps all", () => {
  const random = createRandom(5)
  const seen = new Set(Array.from({ length: 500 }, () => random.between(-1, 2)))
  expect([...seen].sort((a, b) => a - b)).toEqual([-1, 0, 1, 2])
  expect(random.shuffle([1, 2, 3, 4, 5]).toSorted()).toEqual([1, 2, 3, 4, 5])
})
