import { expect, test } from "vitest"
import type { SeenRequest } from "../outbound/evidence/evidence.ts"
import { type Evidence, reconcile } from "./reconcile.ts"

const request = (event: string, overrides: Partial<SeenRequest> = {}): SeenRequest => ({
  ...{ at: 9_001, channel: "acme", delivery: `d-${event}`, number: 1, sha256: `sha-${event}` },
  ...{ verified: true, event, status: 204 },
  ...overrides,
})

/**
 * Two events that were delivered, one of them again under another id after a restore, and a trigger that was
 * synchronised.
 */
function evidence(): Evidence {
  const events = ["a", "b"]
  return {
    outbound: {
      published: events.map((event) => ({ event, channel: "acme", sha256: `sha-${event}` })),
      deliveries: events.map((event) => ({
        ...{ delivery: `d-${event}`, event, state: "delivered", attempts: 1, sha256: `sha-${event}` },
        ...{ deferred: false, scheduled: false },
      })),
      requests: [request("a"), request("b"), request("b", { delivery: "d-b-before", at: 5_000 })],
      uncommittedKeys: { events: [], deliveries: [] },
    },
    inbound: {
      calls: [{ connection: "c", sentAt: 1_000, endedAt: 1_010, status: 202, token: "valid" }],
      gets: [
        { connection: "c", at: 2_000, steadyMs: 2_000, lateMs: 0 },
        { connection: "c", at: 8_000, steadyMs: 8_000, lateMs: 0 },
      ],
      runs: [{ connection: "c", outcome: "changed", startedAt: 7_990, finishedAt: 8_100 }],
      windowMs: 5_000,
      waiting: [],
    },
  }
}

test("what was delivered and synchronised again after a restore is counted, and all promises hold", () => {
  expect(reconcile(evidence())).toMatchObject({
    published: 2,
    delivered: 2,
    accepted: 1,
    lost: [],
    forgotten: [],
    forged: [],
    tooClose: [],
    // One event was delivered twice, and one source was read twice.
    duplicates: 2,
    holds: true,
  })
})

test("an event that no partner took is lost, also where the restored row says that it was delivered", () => {
  const it = evidence()
  it.outbound.requests = it.outbound.requests.filter(({ event }) => event === "b")
  expect(reconcile(it)).toMatchObject({ delivered: 1, lost: ["a: delivered"], holds: false })
})

test.each([
  ["its signature is wrong", { verified: false }],
  ["its body is another's", { sha256: "sha-b" }],
  ["it came to another's channel", { channel: "globex" }],
])("a request that a partner took does not count where %s", (_, overrides) => {
  const it = evidence()
  it.outbound.requests = [request("a", overrides), request("b")]
  const { lost, forged, holds } = reconcile(it)
  expect({ lost, forged: forged.length, holds }).toEqual({ lost: ["a: delivered"], forged: 1, holds: false })
})

test.each(["dead", "erased"])("an event that is %s is not lost", (state) => {
  const it = evidence()
  it.outbound.deliveries = it.outbound.deliveries.map((row) => (row.event === "a" ? { ...row, state } : row))
  it.outbound.requests = [request("b")]
  expect(reconcile(it)).toMatchObject({ delivered: 1, lost: [], misrecorded: [], holds: true })
})

test("an event without a row is found, although a partner took it before the restore", () => {
  const it = evidence()
  it.outbound.deliveries.pop()
  expect(reconcile(it)).toMatchObject({
    lost: [],
    misrecorded: ["b: no row, taken 2 times"],
    holds: false,
  })
})

test("a delivery that is still pending is found, and that nothing carries it", () => {
  const it = evidence()
  const pending = { state: "pending", scheduled: true }
  it.outbound.deliveries = it.outbound.deliveries.map((row) =>
    row.event === "a" ? { ...row, ...pending } : row,
  )
  expect(reconcile(it)).toMatchObject({
    stranded: ["d-a: pending, scheduled, 1 attempts"],
    misrecorded: ["a: pending, scheduled, taken 1 times"],
    holds: false,
  })
})

test("records that are not committed are found", () => {
  const it = evidence()
  it.outbound.uncommittedKeys.events = ["a"]
  expect(reconcile(it)).toMatchObject({ uncommitted: 1, holds: false })
})

test("a 202 whose sync is only in what Postgres has forgotten is forgotten", () => {
  const it = evidence()
  it.inbound.runs = []
  expect(reconcile(it)).toMatchObject({ forgotten: ["c at 1970-01-01T00:00:01.000Z"], holds: false })
})

test("two syncs closer than the window are found", () => {
  const it = evidence()
  it.inbound.windowMs = 6_001
  expect(reconcile(it)).toMatchObject({ tooClose: [expect.stringContaining("c at")], holds: false })
})
