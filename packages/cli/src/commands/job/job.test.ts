import type { Job } from "@sitewire/contracts"
import { expect, test } from "vitest"
import { createStyle } from "../../output/style.ts"
import { jobBlock } from "./job.ts"

test("a reconciliation that found more records than it lists says so", () => {
  const at = "2026-11-02T10:00:00.000Z"
  const listed = { topic: "site.paid", partition: 1, offset: "7", event_id: "order-7", published_at: at }
  const job: Job = {
    id: "job_1",
    kind: "reconcile",
    state: "done",
    filter: {},
    per_second: null,
    reason: "check",
    requested_by: "key_1 (ops)",
    counts: { events: 9, triggers: 0, exceptions: 1, events_differing: 3 },
    total: null,
    created_at: at,
    finished_at: at,
    remains: null,
    exceptions: [{ ...listed, kind: "event_lost", connection: null }],
    differing: [listed],
    open_transactions: [{ topic: "site.paid", partition: 3, first_offset: "17", since: at, records: 5 }],
  }
  const style = createStyle({ colour: false })
  expect(jobBlock(job, style)).toMatch(/Listed are the first 2 of these 4\.$/)
  expect(jobBlock(job, style)).toMatch(
    /transaction open in partition 3 of site\.paid from offset 17 on, begun .*: 5\.$/m,
  )
  expect(jobBlock({ ...job, differing: [listed, listed, listed] }, style)).not.toContain("Listed are")
})
