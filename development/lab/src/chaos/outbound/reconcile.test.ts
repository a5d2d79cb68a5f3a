import { expect, test } from "vitest"
import type { Fault } from "../faults/driveFaults.ts"
import type { Evidence, SeenRequest } from "./evidence.ts"
import { reassignments } from "./findForks.ts"
import { reconcile } from "./reconcile.ts"

const day = 86_400_000
const kill: Fault = { kind: "kill -9", target: "dispatcher-1", beganAt: 10_000, endedAt: 12_000 }

/** Three events, each delivered by its first attempt, and one kill. */
function evidence(): Evidence {
  const events = ["a", "b", "c"]
  return {
    published: events.map((event) => ({
      event,
      channel: "acme",
      sha256: `sha-${event}`,
      twice: false,
      erasable: false,
    })),
    deliveries: events.map((event) => ({
      delivery: `d-${event}`,
      event,
      state: "delivered",
      attempts: 1,
      sha256: `sha-${event}`,
      deferred: false,
      scheduled: false,
    })),
    attempts: events.map((event) => ({ delivery: `d-${event}`, number: 1, at: 9_000, delivered: true })),
    requests: events.map((event) => request(event, {})),
    deferrals: [],
    accepted: [],
    outcomes: events.map((event) => ({
      event_id: event,
      state: "delivered",
      ended_at: "2030-01-01T00:00:09.000Z",
    })),
    jobs: [],
    uncommittedKeys: { events: [], deliveries: [] },
    faults: [kill],
    members: 3,
    outstanding: 64,
  }
}

function request(event: string, overrides: Partial<SeenRequest>): SeenRequest {
  const sent = { at: 9_001, channel: "acme", delivery: `d-${event}`, number: 1, sha256: `sha-${event}` }
  return { ...sent, verified: true, event, status: 204, ...overrides }
}

test("where all was delivered once, all promises hold", () => {
  expect(reconcile(evidence())).toMatchObject({
    published: 3,
    delivered: 3,
    lost: [],
    duplicates: 0,
    bound: 2 * 3 * 64,
    forged: [],
    forked: [],
    resends: 0,
    unsent: [],
    stranded: [],
    withoutCarrier: [],
    misrecorded: [],
    unheard: [],
    deferred: {},
    holds: true,
  })
})

test("publishers must hear the newest outcome of each delivery", () => {
  const it = evidence()
  it.outcomes = [
    { event_id: "a", state: "delivered", ended_at: "2030-01-01T00:00:09.000Z" },
    { event_id: "a", state: "dead", ended_at: "2030-01-01T00:00:08.000Z" },
    { event_id: "b", state: "dead", ended_at: "2030-01-01T00:00:08.000Z" },
  ]
  expect(reconcile(it)).toMatchObject({
    unheard: ["b: delivered, published as dead", "c: delivered, published as nothing"],
    holds: false,
  })
})

test("an event that no partner took is lost, whatever the rows say", () => {
  const it = evidence()
  it.requests[1] = request("b", { status: 500 })
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
  const it = evidence()
  expect(reconcile({ ...it, uncommittedKeys: { events: ["a"], deliveries: ["d-b"] } })).toMatchObject({
    uncommitted: 2,
    holds: false,
  })
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

test("an event that was published twice may be sent twice, also under two deliveries' ids, and a third time is a fork", () => {
  const it = evidence()
  it.faults = []
  it.published = it.published.map((event) => ({ ...event, twice: event.event === "a" }))
  it.requests.push(request("a", { at: 9_002, delivery: "d-other" }))
  expect(reconcile(it)).toMatchObject({ duplicates: 0, forged: [], forked: [], holds: true })
  it.requests.push(request("a", { at: 9_003 }))
  expect(reconcile(it)).toMatchObject({ duplicates: 1, forged: [], forked: [], holds: false })
  it.requests.push(request("a", { at: 9_004 }))
  expect(reconcile(it).forked).toHaveLength(1)
})

test("a repeat across a kill is a duplicate and no fork", () => {
  const it = evidence()
  it.requests.push(request("a", { at: 25_000 }))
  expect(reconcile(it)).toMatchObject({ duplicates: 1, forked: [], holds: true })
})

test("duplicates beyond the bound break the promise", () => {
  const it = { ...evidence(), outstanding: 0 }
  it.requests.push(request("a", { at: 25_000 }))
  expect(reconcile(it)).toMatchObject({ duplicates: 1, bound: 0, forked: [], holds: false })
})

test("a repeat that no fault explains is a fork", () => {
  const it = evidence()
  it.requests.push(request("a", { at: day }), request("b", { at: 9_005 }))
  it.faults = [{ ...kill, beganAt: 2 * day, endedAt: 2 * day }]
  expect(reconcile(it).forked).toEqual([
    "d-a: attempt 1 made 2 times, 0 reassignments; resends: 0",
    "d-b: attempt 1 made 2 times, 0 reassignments; resends: 0",
  ])
})

test("an attempt made more often than faults hit it is a fork", () => {
  const it = evidence()
  const hits = reassignments("kill -9", 3)
  it.requests.push(...Array.from({ length: hits }, (_, at) => request("a", { at: 20_000 + at })))
  expect(reconcile(it).forked).toEqual([])
  it.requests.push(request("a", { at: 21_000 }))
  expect(reconcile(it).forked).toEqual([
    `d-a: attempt 1 made ${hits + 2} times, ${hits} reassignments; resends: 0`,
  ])
})

const late = 50_000
const second = { delivery: "d-a", number: 2, at: late, delivered: true }

test("an attempt that follows one that did not fail is a fork, however long ago the last fault was", () => {
  const it = evidence()
  it.faults = []
  it.requests.push(request("a", { at: late, number: 2 }))
  it.attempts.push(second)
  expect(reconcile(it).forked).toEqual([
    "d-a: attempt 2 after 1 was delivered; resends: 0",
    "1 attempts after deliveries, bound 0",
  ])
})

test("numbers that were never made hide no fork", () => {
  const it = evidence()
  it.faults = []
  it.requests.push(request("a", { at: late, number: 4 }))
  expect(reconcile(it).forked[0]).toEqual("d-a: attempt 4 after 1 was delivered; resends: 0")
})

test("an attempt after one whose claim a fault may have ended is no fork", () => {
  const it = evidence()
  it.requests.push(request("a", { at: late, number: 2 }))
  expect(reconcile(it)).toMatchObject({ forked: [], duplicates: 1 })
})

test("an attempt after a resend is no fork, and a second one is", () => {
  const it = evidence()
  it.faults = []
  it.outstanding = 0
  it.deferrals = [{ delivery: "d-a", reason: "resend", at: late - 1_000 }]
  it.requests.push(request("a", { at: late, number: 2 }))
  it.attempts.push(second)
  const { forked, unsent, afterDelivery, holds } = reconcile(it)
  expect({ forked, unsent, afterDelivery, holds }).toEqual({
    forked: [],
    unsent: [],
    afterDelivery: 0,
    holds: true,
  })
  it.requests.push(request("a", { at: late + 1, number: 3 }))
  expect(reconcile(it).forked[0]).toBe(
    "d-a: attempt 2 after 1 was delivered; attempt 3 after 2 was delivered; resends: 1",
  )
})

test.each(["busy", "overdue"])("a deferral (%s) is no cause of another attempt", (reason) => {
  const it = evidence()
  it.faults = []
  it.deferrals = [{ delivery: "d-a", reason, at: 8_000 }]
  it.requests.push(request("a", { at: late, number: 2 }))
  expect(reconcile(it).forked[0]).toEqual("d-a: attempt 2 after 1 was delivered; resends: 0")
})

test("deliveries of a resend are no duplicates, and one more is", () => {
  const it = evidence()
  it.deferrals = [{ delivery: "d-a", reason: "resend", at: late - 1_000 }]
  it.requests.push(request("a", { at: late, number: 2 }))
  it.attempts.push(second)
  expect(reconcile(it)).toMatchObject({ duplicates: 0, resends: 1, holds: true })
  it.requests.push(request("a", { at: late + 9, number: 2 }))
  expect(reconcile(it).duplicates).toBe(1)
})

test("a resend that no request followed is found, whatever was sent before it", () => {
  const it = evidence()
  it.deferrals = [{ delivery: "d-a", reason: "resend", at: late }]
  expect(reconcile(it)).toMatchObject({
    unsent: ["d-a: no request after the resend at 1970-01-01T00:00:50.000Z"],
    holds: false,
  })
})

test("a resend by a dispatcher whose clock was set a day back is found sent, by the partner's clock", () => {
  const it = evidence()
  it.deferrals = [{ delivery: "d-a", reason: "resend", at: late - 1_000 }]
  it.requests.push(request("a", { at: late, number: 2 }))
  it.attempts.push({ ...second, at: late - day })
  expect(reconcile(it)).toMatchObject({ unsent: [], forked: [], holds: true })
})

test("an accepted resend that deferred nothing is found, and a job that is not done", () => {
  const it = evidence()
  it.accepted = [
    { kind: "delivery", delivery: "d-a", requestedAt: late, acceptedAt: late + 10 },
    { kind: "job", job: "job-1" },
    { kind: "job", job: "job-2" },
  ]
  it.jobs = [{ job: "job-1", state: "running", resent: 3 }]
  expect(reconcile(it)).toMatchObject({
    unsent: [
      "d-a: accepted at 1970-01-01T00:00:50.010Z, not deferred",
      "job job-1: running",
      "job job-2: no row",
      "4 deliveries to be resent, 0 deferred",
    ],
    holds: false,
  })
})

test("an accepted resend whose delivery was deferred meanwhile and then attempted is kept", () => {
  const it = evidence()
  it.accepted = [{ kind: "delivery", delivery: "d-a", requestedAt: late - 2_000, acceptedAt: late - 10 }]
  it.deferrals = [{ delivery: "d-a", reason: "resend", at: late - 1_000 }]
  it.requests.push(request("a", { at: late, number: 2 }))
  it.attempts.push(second)
  expect(reconcile(it)).toMatchObject({ unsent: [], holds: true })
})

const unfinished = (overrides: Partial<Evidence["deliveries"][number]>) => {
  const it = evidence()
  it.deliveries = it.deliveries.map((row) => (row.event === "a" ? { ...row, ...overrides } : row))
  return it
}

test.each([
  ["pending, never attempted", { state: "pending", attempts: 0 }, "d-a: pending, 0 attempts"],
  ["scheduled", { state: "pending", scheduled: true }, "d-a: pending, scheduled, 1 attempts"],
  [
    "delivered, with a retry of its resend",
    { state: "delivered", scheduled: true },
    "d-a: delivered, scheduled, 1 attempts",
  ],
])("a delivery that is %s, and that no record carries, is found", (_, overrides, found) => {
  const it = unfinished(overrides)
  expect(reconcile(it)).toMatchObject({ stranded: [found], holds: false })
  expect(reconcile({ ...it, uncommittedKeys: { events: ["b"], deliveries: ["d-b"] } }).stranded).toEqual([
    found,
  ])
  expect(reconcile({ ...it, uncommittedKeys: { events: ["a"], deliveries: [] } }).stranded).toEqual([])
  expect(reconcile({ ...it, uncommittedKeys: { events: [], deliveries: ["d-a"] } }).stranded).toEqual([])
})

test("a pending delivery that waits for nothing is found, even if a record of it is uncommitted", () => {
  const it = unfinished({ state: "pending" })
  it.uncommittedKeys = { events: ["a"], deliveries: ["d-a"] }
  expect(reconcile(it)).toMatchObject({
    stranded: [],
    withoutCarrier: ["d-a: pending, waits for nothing, 1 attempts"],
    holds: false,
  })
  for (const waits of [{ deferred: true }, { scheduled: true }])
    expect(reconcile(unfinished({ state: "pending", ...waits })).withoutCarrier).toEqual([])
})

test("a deferred delivery is uncommittedKeys by its row, and is unfinished all the same", () => {
  expect(reconcile(unfinished({ deferred: true }))).toMatchObject({
    stranded: [],
    misrecorded: ["a: delivered, deferred, taken 1 times"],
    holds: false,
  })
})

test("a chain that goes on after the delivery, behind a repeat that failed, is counted and bounded", () => {
  const it = evidence()
  it.requests.push(request("a", { at: 20_000, status: 500 }), request("a", { at: 21_000, number: 2 }))
  expect(reconcile(it)).toMatchObject({ afterDelivery: 1, duplicates: 1, forked: [], holds: true })
  expect(reconcile({ ...it, outstanding: 0 }).forked).toEqual(["1 attempts after deliveries, bound 0"])
})

test("a request repeated after a reset is no attempt of its own", () => {
  const it = evidence()
  it.faults = []
  it.requests.push(request("a", { at: 9_000, status: "reset" }))
  expect(reconcile(it)).toMatchObject({ duplicates: 0, forked: [], holds: true })
})
