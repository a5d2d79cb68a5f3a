import type { AttemptError } from "@sitewire/contracts"
import { defineStatement, plainArray, type Sql, unnestColumns } from "@sitewire/database"

export type AttemptRecord = {
  deliveryId: string
  number: number
  startedAt: Date
  durationMs: number
  lookupMs: number | null
  connectMs: number | null
  tlsMs: number | null
  firstByteMs: number | null
  ip: string | null
  url: string
  requestHeaders: string
  status: number | null
  error: AttemptError | null
  detail: string | null
  secretId: string
  responseExcerpt: Buffer | null
  state: "pending" | "delivered" | "dead"
  /** The next attempt, if a retry topic has its record. `elapsedMs`: how much of the retry period is over. */
  scheduled: { delayMs: number; failures: number; elapsedMs: number } | null
  deferredAt: Date | null
}

/** Each is an array with one value for each attempt of the batch, or null if all are null. */
export const attemptColumnTypes = {
  number: "int",
  started_at_ms: "float8",
  duration_ms: "float8",
  lookup_ms: "float8",
  connect_ms: "float8",
  tls_ms: "float8",
  first_byte_ms: "float8",
  ip: "text",
  status: "int",
  error: "text",
  detail: "text",
  secret_id: "text",
  url: "text",
  response_excerpt: "bytea",
  request_headers: "text",
  state: "text",
  delay_ms: "float8",
  failures: "int",
  elapsed_ms: "float8",
}
const outcomeColumns = { delivery_id: "uuid", deferred_at_ms: "float8", ...attemptColumnTypes }

/** Of the table `attempt`, without what may quote or identify a body. */
export const attemptColumns = `number, started_at, duration_ms, lookup_ms, connect_ms, tls_ms, first_byte_ms, ip, status,
  error, detail, secret_id, url`

// The delivery's state after an attempt (docs/how-it-works.md draws all states and ways between them):
//
// | state before the attempt ends | accepted  | failed                          |
// | ----------------------------- | --------- | ------------------------------- |
// | pending                       | delivered | pending, or dead                |
// | delivered (this is a resend)  | delivered | delivered                       |
// | cancelled, dead               | delivered | unchanged: it ended meanwhile   |
// | erased                        | erased    | erased                          |
//
// Each rule below is a predicate, and not a column of an earlier step, because Postgres evaluates the update again if
// another transaction changed the row meanwhile.
const accepted = "outcome.state = 'delivered'"
/** The attempt ends the deferral from which it was claimed. */
const endsDeferral = "delivery.deferred_at = outcome.deferred_at"
/** A resend was requested since the claim: the delivery stays deferred for it, and this attempt's retry is dropped. */
const resendWaits = `(delivery.deferred_reason = 'resend' and delivery.deferred_at is distinct from outcome.deferred_at)`
const endedMeanwhile = `(delivery.state in ('cancelled', 'dead') and not ${accepted})`
/**
 * It was delivered, and no resend of it is scheduled or was claimed for this attempt. So the attempt is part of a chain that
 * began with an attempt that was repeated after a crash, and must not be continued.
 */
const isOver = `(delivery.state = 'delivered' and delivery.next_attempt_at is null and (${endsDeferral}) is not true)`
const keepsState = `(delivery.state in ('delivered', 'erased') or ${endedMeanwhile} or (not ${accepted} and ${resendWaits}))`
const keepsEnd = `(outcome.state = 'pending' or delivery.state = 'erased' or ${endedMeanwhile}
  or outcome.state = 'dead' and (delivery.state = 'delivered' or ${resendWaits}))`
const keepsSchedule = `(delivery.state = 'erased' or ${endedMeanwhile} or ${isOver} or ${resendWaits})`
/**
 * An attempt whose number is not above the row's was repeated after a crash. It is stored, but changes the row only if it
 * was accepted or ends a deferral.
 */
const changesRow = `(delivery.attempts < outcome.number
  or ${accepted} and delivery.state in ('pending', 'dead', 'cancelled')
  or ${endsDeferral})`

const keepIf = (rule: string, column: string, otherwise = `outcome.${column}`) =>
  `${column} = case when ${rule} then delivery.${column} else ${otherwise} end`

// If the first attempt is accepted, the columns from `next_attempt_at` on stay null, so the update is heap-only.
//
// An erasure locks the row, so this statement waits for it. The response excerpt and the request's headers of an erased
// delivery are not stored, because they may quote or identify the body. A repeated attempt updates no row, so the state
// is then read with a lock.
const insertAttempts = defineStatement<Record<keyof typeof outcomeColumns, unknown>>(
  "record-attempts",
  `
with outcome as (
  select *, to_timestamp(started_at_ms / 1000) as started_at,
         now() + delay_ms * interval '1 millisecond' as next_attempt_at,
         now() - elapsed_ms * interval '1 millisecond' as period_started_at,
         to_timestamp(deferred_at_ms / 1000) as deferred_at
    from ${unnestColumns(outcomeColumns)}
), updated as (
  update delivery
     set attempts = greatest(delivery.attempts, outcome.number),
         ${keepIf(keepsState, "state", "outcome.state::delivery_state")},
         ${keepIf(keepsEnd, "finished_at", "now()")},
         dead_reason = case when not ${accepted} then delivery.dead_reason end,
         last_error = coalesce(outcome.error, delivery.last_error),
         last_status = case when outcome.error is null then delivery.last_status else outcome.status end,
         ${keepIf(keepsSchedule, "next_attempt_at")},
         ${keepIf(keepsSchedule, "failures")},
         ${keepIf(keepsSchedule, "period_started_at")},
         ${keepIf(resendWaits, "deferred_at", "null")},
         ${keepIf(resendWaits, "deferred_reason", "null")},
         ${keepIf(`${resendWaits} and outcome.deferred_at is null`, "lease_expires_at", "null")}
    from outcome
   where delivery.id = outcome.delivery_id and ${changesRow}
  returning delivery.id, delivery.state
)
insert into attempt (delivery_id, ${attemptColumns}, response_excerpt, request_headers)
select delivery_id, ${attemptColumns}, case when state_now <> 'erased' then response_excerpt end,
       case when state_now <> 'erased' then request_headers end
  from outcome left join updated on updated.id = outcome.delivery_id
 cross join lateral (
   select coalesce(updated.state, (select state from delivery where id = outcome.delivery_id for share)) as state_now) as stored
on conflict do nothing`,
)

/** A batch may contain a delivery only once, because `update` applies only one outcome to each row. */
export async function recordAttempts(sql: Sql, batch: readonly AttemptRecord[]): Promise<void> {
  await insertAttempts(sql, {
    delivery_id: plainArray(batch.map(({ deliveryId }) => deliveryId)),
    deferred_at_ms: plainArray(batch.map(({ deferredAt }) => deferredAt?.getTime() ?? null)),
    ...attemptValues(batch),
  })
}

/** The values of `attemptColumnTypes`. Null: there was no attempt. */
export function attemptValues(
  batch: readonly (AttemptRecord | null)[],
): Record<keyof typeof attemptColumnTypes, unknown> {
  const each = <T>(read: (attempt: AttemptRecord) => T) => batch.map((attempt) => attempt && read(attempt))
  const plain = (read: (attempt: AttemptRecord) => string | number | null) => plainArray(each(read))
  // Null instead of a list of nulls, to save building and parsing it.
  const rare = <T>(list: (T | null)[]) => (list.every((value) => value === null) ? null : list)
  return {
    number: plain(({ number }) => number),
    started_at_ms: plain(({ startedAt }) => startedAt.getTime()),
    duration_ms: plain(({ durationMs }) => durationMs),
    lookup_ms: plain(({ lookupMs }) => lookupMs),
    connect_ms: plain(({ connectMs }) => connectMs),
    tls_ms: plain(({ tlsMs }) => tlsMs),
    first_byte_ms: plain(({ firstByteMs }) => firstByteMs),
    ip: each(({ ip }) => ip),
    status: plain(({ status }) => status),
    error: plain(({ error }) => error),
    detail: rare(each(({ detail }) => detail)),
    secret_id: each(({ secretId }) => secretId),
    url: each(({ url }) => url),
    response_excerpt: rare(each(({ responseExcerpt }) => responseExcerpt)),
    request_headers: each(({ requestHeaders }) => requestHeaders),
    state: plain(({ state }) => state),
    delay_ms: plain(({ scheduled }) => scheduled?.delayMs ?? null),
    failures: plain(({ scheduled }) => scheduled?.failures ?? null),
    elapsed_ms: plain(({ scheduled }) => scheduled?.elapsedMs ?? null),
  }
}
