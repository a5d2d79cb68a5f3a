import { expect, test } from "vitest"
import type { ConsumerRecord } from "../record.ts"
import { dispatchRecords } from "./dispatchRecords.ts"
import { limitOutstanding } from "./limitOutstanding.ts"

const partition = { topic: "t", partition: 0 }

function start() {
  const dispatched = new Map<string, () => void>()
  const limit = limitOutstanding(1_000)
  const dispatch = dispatchRecords({
    limit,
    delayMsOf: () => 0,
    onRecords(records, done) {
      for (const record of records) dispatched.set(record.offset, () => done(record))
    },
    pause: () => {},
    resume: () => {},
    onHandlerError: () => {},
  })
  dispatch.assign([partition])
  return {
    skipBatch: (firstOffset: number, lastOffset: number) =>
      dispatch.onSkipped({ ...partition, firstOffset: String(firstOffset), lastOffset: String(lastOffset) }),
    fetch: (from: number, to: number) =>
      dispatch.onFetched({
        ...partition,
        records: Array.from({ length: to + 1 - from }, (_, n): ConsumerRecord => {
          const offset = String(from + n)
          const appendedAt = Date.now()
          const original = { key: null, headers: {} }
          return { ...partition, offset, ...original, original, value: null, appendedAt, timeFrom: "broker" }
        }),
        lastOffset: String(to),
        resolveOffset: () => {},
        heartbeat: async () => {},
      }),
    finish: (from: number, to: number) => {
      for (let offset = from; offset <= to; offset++) dispatched.get(String(offset))?.()
    },
    commits: () => dispatch.pendingCommits().commits.map(({ offset }) => offset),
    outstanding: () => limit.outstanding(),
  }
}

test("what follows the records and is not for consumers is committed with them", async () => {
  const it = start()
  await it.fetch(0, 9)
  it.skipBatch(10, 15)
  expect(it.commits()).toEqual([])
  it.finish(0, 9)
  expect(it.commits()).toEqual(["16"])
})

test("a skipped batch that does not follow what was read moves no offset", async () => {
  const it = start()
  it.skipBatch(0, 5)
  await it.fetch(6, 50)
  it.finish(6, 50)
  expect(it.commits()).toEqual(["51"])
  for (const [first, last] of [
    [20, 22],
    [60, 70],
  ] as const)
    it.skipBatch(first, last)
  expect(it.commits()).toEqual(["51"])
})

test("a topic that was created again and begins with an aborted transaction is read from its first record", async () => {
  const it = start()
  await it.fetch(90, 99)
  it.finish(90, 91)
  it.skipBatch(0, 5)
  await it.fetch(6, 20)
  // As the broker sends them again.
  await it.fetch(6, 20)
  it.finish(92, 99)
  expect(it.commits()).toEqual(["6"])
  it.finish(6, 20)
  expect([it.commits(), it.outstanding()]).toEqual([["21"], 0])
})
