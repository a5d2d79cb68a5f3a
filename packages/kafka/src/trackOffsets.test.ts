import { expect, test } from "vitest"
import { trackOffsets } from "./trackOffsets.ts"

const recordsOf = (...offsets: number[]) => offsets.map((offset) => ({ offset: String(offset) }))

test("only the contiguous done prefix may be committed, whatever the order of completion", () => {
  const tracker = trackOffsets<{ offset: string }>()
  const records = recordsOf(7, 8, 9, 10)
  expect(tracker.committable()).toBeNull()
  tracker.add(records)
  expect(tracker.committable()).toBe("7")
  for (const [index, committable] of [
    [3, "7"],
    [1, "7"],
    [0, "9"],
    [2, "11"],
  ] as const) {
    const record = records[index]
    expect(record && tracker.done(record)).toBe(true)
    expect(tracker.committable()).toBe(committable)
  }
})

test("offsets that compaction removed hold nothing up", () => {
  const tracker = trackOffsets<{ offset: string }>()
  const [first, second] = recordsOf(3, 5_000)
  if (!first || !second) throw new Error("unreachable")
  tracker.add([first, second])
  tracker.done(first)
  expect(tracker.committable()).toBe("5000")
  tracker.done(second)
  expect(tracker.committable()).toBe("5001")
})

test("behind one record that hangs, done records take no memory", () => {
  const tracker = trackOffsets<{ offset: string }>()
  const [stuck] = recordsOf(0)
  tracker.add(stuck ? [stuck] : [])
  for (let offset = 1; offset <= 100_000; offset++) {
    const batch = recordsOf(offset)
    tracker.add(batch)
    for (const record of batch) tracker.done(record)
  }
  expect([...tracker.notDone()]).toEqual([stuck])
  expect(tracker.committable()).toBe("0")
})

test("a record of another assignment, or one that is done twice, changes nothing", () => {
  const tracker = trackOffsets<{ offset: string }>()
  const [ours] = recordsOf(4)
  const [theirs] = recordsOf(4)
  if (!ours || !theirs) throw new Error("unreachable")
  tracker.add([ours])
  expect(tracker.done(theirs)).toBe(false)
  expect(tracker.committable()).toBe("4")
  expect(tracker.done(ours)).toBe(true)
  expect(tracker.done(ours)).toBe(false)
})

test("offsets beyond 2^53 are exact", () => {
  const tracker = trackOffsets<{ offset: string }>()
  const records = [{ offset: "9007199254740993" }]
  tracker.add(records)
  for (const record of records) tracker.done(record)
  expect(tracker.committable()).toBe("9007199254740994")
})
