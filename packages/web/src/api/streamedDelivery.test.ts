import { expect, test } from "vitest"
import { type DeliveryRow, deliveryResponse } from "../../../console/src/deliveries/deliveryResponse.ts"
import { afterChange } from "./streamedDelivery.ts"

const at = new Date("2026-03-01T12:00:00.000Z")
const failed: DeliveryRow = {
  id: "0197a3c1-6d0e-7c3b-9a51-3f1f6c1d2e4b",
  event_id: "evt_1",
  channel_id: "acme",
  state: "pending",
  attempts: 1,
  waiting: { next_attempt_at: at, deferred_at: null, deferred_reason: null },
  created_at: at,
  finished_at: null,
  last_error: "status",
  last_status: 503,
  dead_reason: null,
}
const first = { ...failed, attempts: 0, waiting: null, last_error: null, last_status: null }
const deferral = (deferred_reason: "breaker" | "rate") => ({
  next_attempt_at: null,
  deferred_at: at,
  deferred_reason,
})

/** What is erased has no body any more. */
const listed = (row: DeliveryRow) => {
  const isErased = row.state === "erased"
  return {
    ...deliveryResponse(row),
    reference: isErased ? null : "user-1",
    site_url: isErased ? null : "https://shop.example",
  }
}

type Case = {
  name: string
  before: DeliveryRow
  after: DeliveryRow
  error?: "timeout" | "status"
  status?: number
}

test.each<Case>([
  { name: "a first attempt fails", before: first, after: failed, error: "status", status: 503 },
  {
    name: "a retry gets no response",
    before: failed,
    after: { ...failed, attempts: 2, last_error: "timeout", last_status: null },
    error: "timeout",
  },
  {
    name: "a retry succeeds",
    before: failed,
    after: { ...failed, attempts: 2, state: "delivered", waiting: null, finished_at: at },
    status: 204,
  },
  {
    name: "the breaker opens",
    before: failed,
    after: { ...failed, waiting: deferral("breaker") },
    error: "status",
    status: 503,
  },
  {
    name: "a new delivery is deferred",
    before: first,
    after: { ...first, waiting: deferral("rate") },
  },
  {
    name: "nothing but the state is known",
    before: failed,
    after: { ...failed, state: "dead", waiting: null },
  },
  {
    name: "it is erased",
    before: failed,
    after: { ...failed, state: "erased", waiting: null, finished_at: at },
  },
])("$name: a list shows the same as if it were read again", ({ before, after, error, status }) => {
  const shown = afterChange(listed(before), {
    id: after.id,
    event_id: after.event_id,
    reference: null,
    channel: after.channel_id,
    state: after.state,
    attempts: after.attempts,
    next_attempt_at: after.waiting?.next_attempt_at?.toISOString() ?? null,
    deferred_at: after.waiting?.deferred_at?.toISOString() ?? null,
    deferred_reason: after.waiting?.deferred_reason ?? null,
    created_at: after.created_at.toISOString(),
    finished_at: after.finished_at?.toISOString() ?? null,
    last_attempt:
      error === undefined && status === undefined
        ? null
        : {
            number: after.attempts,
            started_at: at.toISOString(),
            duration_ms: 5,
            status: status ?? null,
            error: error ?? null,
          },
  })
  expect(shown).toEqual(listed(after))
})
