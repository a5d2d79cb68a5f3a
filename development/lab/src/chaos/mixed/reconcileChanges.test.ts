import { expect, test } from "vitest"
import { reconcileChanges } from "./reconcileChanges.ts"

const of = (connection: string, ...fences: number[]) => fences.map((fence) => ({ connection, fence }))

test("a change is heard if there is a record of it or of a newer one, and repetitions are in order", () => {
  const heard = [...of("a", 1, 3, 3), ...of("b", 2)]
  expect(reconcileChanges([...of("a", 1, 2, 3), ...of("b", 2)], heard)).toEqual({
    changes: 4,
    unheard: [],
    disordered: [],
  })
})

test("changes without a record, and older records after newer ones, are found", () => {
  const heard = of("a", 1, 3, 2)
  expect(reconcileChanges([...of("a", 3, 4), ...of("b", 1)], heard)).toEqual({
    changes: 3,
    unheard: ["a: 4", "b: 1"],
    disordered: ["a: 2 after 3"],
  })
})
