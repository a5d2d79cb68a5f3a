import { expect, test } from "vitest"
import { excuseBusyMachine, judge, type TargetKind } from "./measure.ts"

test.each<[TargetKind, number, number | null, boolean | null]>([
  ["ratio-at-least", 5, 10, true],
  ["ratio-at-least", 4, 10, false],
  ["ratio-at-most", 5, 10, true],
  ["ratio-at-most", 6, 10, false],
  ["ratio-at-most", 6, null, null],
  ["value-at-most", 0.5, null, true],
  ["value-at-most", 0.6, 1, false],
  ["value-at-least", 0.5, null, true],
  ["value-at-least", 0.4, null, false],
  ["more-at-most", 1.5, 1, true],
  ["more-at-most", 1.6, 1, false],
  ["more-at-most", 1.6, null, null],
  ["value-at-most", Number.NaN, null, null],
])("%s 0.5: %s beside %s holds: %s", (kind, value, baseline, holds) => {
  const measure = judge("a measure", value, baseline, kind, 0.5)
  expect(measure.holds).toBe(holds)
  expect(measure.reason === undefined).toBe(holds !== null)
})

test("on a busy machine, what meets a target of its own holds, and what misses it or is compared is not judged", () => {
  const [met, missed] = [
    judge("met", 1, null, "value-at-most", 1),
    judge("missed", 2, null, "value-at-most", 1),
  ]
  const compared = judge("compared", 1, 1, "ratio-at-most", 1)
  for (const measure of [met, missed, compared]) expect(excuseBusyMachine(measure, 0.05)).toBe(measure)
  expect(excuseBusyMachine(met, 0.5)).toBe(met)
  const reason = "others took 50 % of the machine's CPU time meanwhile"
  expect(excuseBusyMachine(missed, 0.5)).toEqual({ ...missed, holds: null, reason })
  expect(excuseBusyMachine(compared, 0.5)).toEqual({ ...compared, holds: null, reason })
})
