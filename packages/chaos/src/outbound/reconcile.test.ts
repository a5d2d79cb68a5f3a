import { expect, test } from "vitest"
import type { Fault } from "../driveFaults.ts"
import { type Evidence, handOvers, reconcile, type SeenRequest } from "./reconcile.ts"

const day = 86_400_000
const kill: Fault = { kind: "kill -9", target: "dispatcher-1", beganAt: 10_000, endedAt: 12_000 }

/** Three events, each delivered by its first attempt, and one kill. */
function evidence(): Evidence {
  const events = ["a", "b", "c"]
  return {
    published: events.map((event) => ({ event, channel: "acme", sha256: `sha-${event}` })),
    deliveries: events.map((event) => ({
      delivery: `d-${event}`,
      event,
      state: "delivered",
      attempts: 1,
      sha256: `sha-${event}`,
    })),
    attempts: events.map((event) => ({ delivery: `d-${event}`, number: 1, at: 9_000, delivered: true })),
    requests: events.map((event) => request(event, {})),
    uncommitted: 0,
    faults: [kill],
    members: 3,
    inHand: 64,
  }
}

function request(event: string, overrides: Partial<SeenRequest>): SeenRequest {
  const sent = { at: 9_001, channel: "acme", delivery: `d-${event}`, number: 1, sha256: `sha-${event}` }
  return { ...sent, verified: true, event, answer: 204, ...overrides }
}

test("where all was delivered once, all promises hold", () => {
  expect(reconcile(evidence())).toMatchObject({
    published: 3,
    lost: [],
    duplicates: 0,
    bound: 2 * 3 * 64,
    forged: [],
    forked: [],
    misrecorded: [],
    holds: true,
  })
})

test("an event that no partner took is lost, whatever the rows say", () => {
  const it = evidence()
  it.requests[1] = request("b", { answer: 500 })
  expect(reconcile(it)).toMatchObject({
    lost: ["b"],
    misrecorded: ["b: delivered, taken 0 times"],
    holds: false,
  })
})

test("an event without a row and without a request is lost", () => {
  const it = evidence()
  it.deliveries.pop()
  it.attempts.pop()
  it.requests.pop()
  expect(reconcile(it)).toMatchObject({ lost: ["c"], misrecorded: [], holds: false })
})

test("a delivery that a partner took and that is still pending is found", () => {
  const it = evidence()
  it.deliveries = it.deliveries.map((row) => (row.event === "a" ? { ...row, state: "pending" } : row))
  expect(reconcile(it)).toMatchObject({ lost: [], misrecorded: ["a: pending, taken 1 times"], holds: false })
})

test("records that are not committed are found", () => {
  expect(reconcile({ ...evidence(), uncommitted: 1 })).toMatchObject({ uncommitted: 1, holds: false })
})

test.each([
  ["another body", { sha256: "sha-b" }],
  ["a wrong signature", { verified: false }],
  ["another's delivery id", { delivery: "d-b" }],
  ["another channel", { channel: "globex" }],
  ["an event that was never published", { event: "z" }],
])("a request with %s is forged", (_, overrides) => {
  const it = evidence()
  it.requests.push(request("a", overrides))
  const ledger = reconcile(it)
  expect(ledger.forged).toHaveLength(1)
  expect(ledger.holds).toBe(false)
})

test("a repeat across a kill is a duplicate and no fork", () => {
  const it = evidence()
  it.requests.push(request("a", { at: 25_000 }))
  expect(reconcile(it)).toMatchObject({ duplicates: 1, forked: [], holds: true })
})

test("duplicates beyond the bound break the promise", () => {
  const it = { ...evidence(), inHand: 0 }
  it.requests.push(request("a", { at: 25_000 }))
  expect(reconcile(it)).toMatchObject({ duplicates: 1, bound: 0, forked: [], holds: false })
})

test("a repeat that no fault explains is a fork", () => {
  const it = evidence()
  it.requests.push(request("a", { at: day }), request("b", { at: 9_005 }))
  it.faults = [{ ...kill, beganAt: 2 * day, endedAt: 2 * day }]
  expect(reconcile(it).forked).toEqual([
    "d-a: attempt 1 made 2 times, 0 hand-overs",
    "d-b: attempt 1 made 2 times, 0 hand-overs",
  ])
})

test("an attempt made more often than faults hit it is a fork", () => {
  const it = evidence()
  const hits = handOvers("kill -9", 3)
  it.requests.push(...Array.from({ length: hits }, (_, at) => request("a", { at: 20_000 + at })))
  expect(reconcile(it).forked).toEqual([])
  it.requests.push(request("a", { at: 21_000 }))
  expect(reconcile(it).forked).toEqual([`d-a: attempt 1 made ${hits + 2} times, ${hits} hand-overs`])
})

test("an attempt that follows one that did not fail is a fork", () => {
  const it = evidence()
  it.requests.push(request("a", { at: 20_000, number: 2 }))
  expect(reconcile(it).forked).toEqual(["d-a: attempt 2 after 1 was delivered"])
})

test("a chain that goes on after the delivery, behind a repeat that failed, is counted and bounded", () => {
  const it = evidence()
  it.requests.push(request("a", { at: 20_000, answer: 500 }), request("a", { at: 21_000, number: 2 }))
  expect(reconcile(it)).toMatchObject({ afterDelivery: 1, duplicates: 1, forked: [], holds: true })
  expect(reconcile({ ...it, inHand: 0 }).forked).toEqual(["1 attempts after deliveries, bound 0"])
})

test("a request repeated after a reset is no attempt of its own", () => {
  const it = evidence()
  it.faults = []
  it.requests.push(request("a", { at: 9_000, answer: "reset" }))
  expect(reconcile(it)).toMatchObject({ duplicates: 0, forked: [], holds: true })
})
