import { expect, test } from "vitest"
import { reconcile } from "./reconcile.ts"

const partners = {
  missing: [] as number[],
  duplicates: 2,
  forged: 0,
  renamed: 0,
  closest: { connection: "a", gapMs: 4_940.5, at: 4_940 },
  p99Ms: 9,
  gets: { a: 2_000, b: 2_000, d: 2_000 },
}
const evidence = {
  published: 100,
  unfinished: 0,
  shortestGapMs: 5_000,
  windowMs: 5_000,
  partners,
  statuses: { 202: 40, 503: 2 },
  revived: 0,
  withoutGateway: 0,
  accepted: new Map([["a", 1_000]]),
  synced: new Map(["a", "b", "c"].map((connection) => [connection, 1_990])),
}

test("all arrived: duplicates and rejected calls break no promise", () => {
  expect(reconcile(evidence)).toMatchObject({
    lost: 0,
    duplicates: 2,
    accepted: 40,
    rejected: 2,
    shortestRequestGapMs: 4_940,
    holds: true,
  })
})

test.each([
  ["an event that no partner accepted", { partners: { ...partners, missing: [7] } }],
  ["a request with a wrong signature", { partners: { ...partners, forged: 1 } }],
  ["an event under two delivery ids", { partners: { ...partners, renamed: 1 } }],
  ["two syncs within a window", { shortestGapMs: 4_999 }],
  ["an accepted trigger without a later sync", { accepted: new Map([["b", 2_001]]) }],
  ["an accepted trigger without any sync", { accepted: new Map([["c", 1]]) }],
  ["an accepted trigger whose sync is not in the database", { accepted: new Map([["d", 1_000]]) }],
  ["unfinished work", { unfinished: 1 }],
  ["a run without events", { published: 0 }],
  ["a run without accepted triggers", { statuses: { 503: 42 }, accepted: new Map() }],
  ["a replaced token that was accepted", { revived: 1 }],
  ["a status that no gateway may give", { statuses: { 202: 40, 404: 1 } }],
])("%s is noticed", (_, changed) => {
  expect(reconcile({ ...evidence, ...changed }).holds).toBe(false)
})
