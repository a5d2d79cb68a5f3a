import type { JobWithOutcome } from "@sitewire/contracts"
import { expect, test } from "vitest"
import { verdictOf } from "./verdictOf.ts"

const reconciled = (counts: Record<string, number>): JobWithOutcome => ({
  id: "job_1",
  kind: "reconcile",
  state: "done",
  filter: {},
  per_second: null,
  reason: "",
  requested_by: "key_1 (operations)",
  counts: { events: 9, triggers: 4, ...counts },
  total: null,
  created_at: "2026-03-01T12:00:00.000Z",
  finished_at: "2026-03-01T12:01:00.000Z",
  remains: null,
  differing: [],
  open_transactions: [],
  exceptions: [],
  outcome: null,
})

test("a reconciliation that found an open transaction names where it is", () => {
  const open = { topic: "site.paid", partition: 3, first_offset: "17", since: null, records: 5 }
  expect(verdictOf({ ...reconciled({ exceptions: 0 }), open_transactions: [open] })).toEqual({
    kind: "warn",
    title: "Records that wait for the end of a publisher's transaction: 5",
    more: "site.paid, partition 3, from offset 17 on",
  })
})

test.each([
  [{ exceptions: 0 }, "good", "Nothing is lost"],
  [{ exceptions: 0, events_differing: 2 }, "warn", "another event had their id: 2"],
  [{ exceptions: 3, events_differing: 2 }, "bad", "not accounted for: 3"],
])("a reconciliation that ends with %j is %s", (counts, kind, title) => {
  expect(verdictOf(reconciled(counts))).toMatchObject({ kind, title: expect.stringContaining(title) })
})
