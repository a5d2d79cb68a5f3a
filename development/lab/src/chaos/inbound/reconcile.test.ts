import { expect, test } from "vitest"
import type { Call } from "../load/load.ts"
import type { SeenGet } from "../load/seen.ts"
import { type Evidence, reconcile } from "./reconcile.ts"

const call = (sentAt: number, overrides: Partial<Call> = {}): Call => ({
  connection: "a",
  sentAt,
  endedAt: sentAt + 10,
  status: 202,
  token: "valid",
  ...overrides,
})
const get = (at: number, lateMs = 0): SeenGet => ({ connection: "a", at, steadyMs: at, lateMs })

/** Two triggers, each followed by a run of its own. */
function evidence(): Evidence {
  return {
    calls: [call(1_000), call(4_000)],
    gets: [get(2_000), get(7_000)],
    runs: [
      { connection: "a", outcome: "changed", startedAt: 1_990, finishedAt: 2_100 },
      { connection: "a", outcome: "unchanged", startedAt: 6_990, finishedAt: 7_100 },
    ],
    windowMs: 5_000,
    waiting: [],
  }
}

test("where each 202 is followed by a run, all promises hold", () => {
  const clean = {
    accepted: 2,
    forgotten: [],
    tooClose: [],
    duplicates: 0,
    revived: [],
    rejected: [],
    holds: true,
  }
  expect(reconcile(evidence())).toMatchObject(clean)
})

test.each(["failed", "abandoned", "running"])("a 202 whose only later run is %s is forgotten", (outcome) => {
  const it = evidence()
  it.runs = it.runs.map((run) => (run.startedAt > 5_000 ? { ...run, outcome } : run))
  expect(reconcile(it)).toMatchObject({ forgotten: ["a at 1970-01-01T00:00:04.000Z"], holds: false })
})

test("a 202 for which the source was read only before it is forgotten, even during a run that ended later", () => {
  const it = evidence()
  it.gets = [get(2_000)]
  it.runs = [{ connection: "a", outcome: "changed", startedAt: 1_990, finishedAt: 9_000 }]
  expect(reconcile(it).forgotten).toEqual(["a at 1970-01-01T00:00:04.000Z"])
})

test("a run in the database without a GET at the source covers nothing", () => {
  const it = evidence()
  it.gets = []
  expect(reconcile(it).forgotten).toHaveLength(2)
})

test("a call that was not answered 202 promises nothing", () => {
  const it = evidence()
  it.calls.push(call(8_000, { status: 503 }), call(8_000, { status: 0 }))
  expect(reconcile(it)).toMatchObject({ accepted: 2, forgotten: [], holds: true })
})

test("two GETs closer than the window are found, also of a run that was never recorded", () => {
  const it = evidence()
  it.gets.push(get(11_999.5))
  it.calls.push(call(8_000, { status: 0 }))
  expect(reconcile(it)).toMatchObject({
    tooClose: [
      "a at 1970-01-01T00:00:11.999Z: 4999.5 ms after the GET before, which may have arrived 0.0 ms earlier",
    ],
    holds: false,
  })
})

test("a GET that the source's process saw late is counted from when it may have come", () => {
  const it = evidence()
  it.gets = [get(2_000), get(7_004, 6), get(12_000)]
  it.calls.push(call(8_000, { status: 0 }))
  expect(reconcile(it).tooClose).toEqual([])
  it.gets = [get(2_000), get(7_004, 3), get(12_000)]
  expect(reconcile(it).tooClose).toHaveLength(1)
})

test("a GET that nobody asked for is a duplicate", () => {
  const it = evidence()
  it.gets.push(get(20_000))
  expect(reconcile(it)).toMatchObject({ duplicates: 1, holds: true })
})

test("a 202 on a replaced address, and a 404 on a valid one, break a promise", () => {
  const it = evidence()
  it.calls.push(call(4_500, { token: "replaced" }))
  expect(reconcile(it)).toMatchObject({ revived: ["a at 1970-01-01T00:00:04.500Z"], holds: false })
  it.calls = [call(4_500, { status: 404 }), call(4_500, { status: 404, token: "replaced" })]
  expect(reconcile(it)).toMatchObject({
    rejected: ["a at 1970-01-01T00:00:04.500Z"],
    revived: [],
    holds: false,
  })
})

test("triggers that still wait when all is quiet are found", () => {
  expect(reconcile({ ...evidence(), waiting: ["a"] })).toMatchObject({ waiting: ["a"], holds: false })
})
