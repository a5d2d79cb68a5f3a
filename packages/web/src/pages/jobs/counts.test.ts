import { expect, test } from "vitest"
import { describeCounts, titleOfList } from "./counts.ts"

test.each([
  ["resend", { resent: 1_204, left_out: 2 }, "deliveries: 1,204 sent again, 2 left out"],
  [
    "replay",
    { read: 40, replayed: 31, left_out: 1 },
    "events: 40 read, 31 published again, 1 left out (erased)",
  ],
  [
    "erasure",
    { scanned: 900, deliveries_erased: 3, excerpts_erased: 1, previous_contents_deleted: 2 },
    "deliveries: 3 erased, 1 responses of partners erased, 2 earlier contents of connections deleted",
  ],
  [
    "reconcile",
    {
      events: 9,
      events_delivered: 7,
      events_differing: 1,
      events_repeated: 1,
      triggers: 4,
      triggers_covered: 4,
    },
    "not delivered: another event had their id",
  ],
] as const)("what a %s has done is told with plain names", (kind, counts, expected) => {
  const text = describeCounts({ kind, counts })
  expect(text).toContain(expected)
  expect(text).not.toMatch(/_|others/)
})

test("what is 0 is left out, and a job that has done nothing has a dash", () => {
  expect(describeCounts({ kind: "reconcile", counts: { events: 3, exceptions: 0 } })).toBe("events: 3 read")
  expect(describeCounts({ kind: "resend", counts: { resent: 0 } })).toBe("–")
})

test("a count that a newer console has added keeps its own name", () => {
  expect(describeCounts({ kind: "resend", counts: { newly_counted: 2 } })).toBe("others: 2 newly counted")
})

test("a list that does not contain all records says so", () => {
  expect(titleOfList("Lost", 200, 1_204)).toBe("Lost: the first 200 of 1,204")
  expect(titleOfList("Lost", 3, 3)).toBe("Lost")
  expect(titleOfList("Lost", 3)).toBe("Lost")
})
