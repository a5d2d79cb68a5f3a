import { expect, test } from "vitest"
import { trackOffsets } from "./trackOffsets.ts"

const recordsOf = (...offsets: number[]) => offsets.map((offset) => ({ offset: String(offset) }))

test("only the offset of the first record that is not done is committable, whatever the order of completion", () => {
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

test("gaps that compaction leaves in the offsets do not stop commits", () => {
  const tracker = trackOffsets<{ offset: string }>()
  const [first, second] = recordsOf(3, 5_000)
  if (!first || !second) throw new Error("unreachable")
  tracker.add([first, second])
  tracker.done(first)
  expect(tracker.committable()).toBe("5000")
  tracker.done(second)
  expect(tracker.committable()).toBe("5001")
})

test("whatever the order of completion, the records that are not done are listed in offset order", () => {
  const tracker = trackOffsets<{ offset: string }>()
  const records = recordsOf(...Array.from({ length: 1_000 }, (_, at) => 3 * at))
  tracker.add(records)
  // 7 and 1,000 have no common factor, so each is done once.
  const order = records.map((_, at) => (at * 7 + 500) % records.length)
  const left = new Set(records)
  for (const at of order) {
    const record = records[at]
    if (!record) throw new Error("unreachable")
    expect(tracker.done(record)).toBe(true)
    left.delete(record)
    const [first] = left
    expect(tracker.committable()).toBe(first?.offset ?? "2998")
    if (at % 50 === 0) expect([...tracker.notDone()]).toEqual([...left])
  }
  expect([...tracker.notDone()]).toEqual([])
})

test("records done after one that hangs take no memory", () => {
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

test("a record of another assignment, or done a second time, changes nothing", () => {
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
  const records = [{ offset: "9007199254740992" }, { offset: "9007199254740993" }]
  tracker.add(records)
  expect(records.toReversed().map(tracker.done)).toEqual([true, true])
  expect(tracker.committable()).toBe("9007199254740994")
})
