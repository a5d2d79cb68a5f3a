import type { ListedDelivery, StreamedDelivery } from "@sitewire/contracts"

type Delivery = ListedDelivery

/** The row of a list after a change that the stream has reported, by the rules of the API. */
export function afterChange(row: Delivery, delivery: StreamedDelivery): Delivery {
  const { state, attempts, next_attempt_at, deferred_at, finished_at, last_attempt } = delivery
  // An attempt that succeeds leaves the last error.
  const failure = last_attempt?.error
    ? { last_error: last_attempt.error, last_status: last_attempt.status }
    : {}
  const waiting_for = waitingFor(delivery)
  const body = state === "erased" ? { reference: null, site_url: null } : {}
  return {
    ...row,
    state,
    attempts,
    next_attempt_at,
    deferred_at,
    finished_at,
    waiting_for,
    ...failure,
    ...body,
  }
}

function waitingFor(delivery: StreamedDelivery): Delivery["waiting_for"] {
  if (delivery.deferred_at !== null) return delivery.deferred_reason
  return delivery.next_attempt_at === null ? null : "retry"
}
