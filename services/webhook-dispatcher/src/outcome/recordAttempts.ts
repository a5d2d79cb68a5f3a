import type { AttemptError } from "@sitewire/contracts"
import { plainArray, type Sql } from "@sitewire/database"

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

type PlainColumn = Exclude<
  keyof AttemptRecord,
  | "startedAt"
  | "scheduled"
  | "deferredAt"
  | "ip"
  | "url"
  | "requestHeaders"
  | "detail"
  | "secretId"
  | "responseExcerpt"
>

const columns = `delivery_id, number, started_at, duration_ms, lookup_ms, connect_ms, tls_ms, first_byte_ms, ip,
                 status, error, detail, secret_id, url`

// An attempt whose number is not above the row's was made twice after a crash. It is stored, but the row
// changes only if it was accepted (the delivery is then delivered) or claimed (its deferral then ends). A
// delivered delivery stays delivered, even if a resend fails. It is scheduled only by a resend: by the attempt for
// its deferral, or by a retry of that attempt (`next_attempt_at` is set). Other attempts are part of a chain that began
// with a repeated attempt.
//
// A delivery that became dead during the attempt, because its channel was deleted, stays dead if the attempt failed.
//
// If a resend was requested since the claim, the delivery stays deferred, and this attempt's retry is
// dropped.
//
// If the first attempt succeeds, the columns from `next_attempt_at` on stay null, so the update is heap-only.
//
// An erasure locks the same row. This update waits for it and then finds the state `erased`: the row stays
// erased. The response excerpt and the request's headers are not stored, because they may quote or identify the
// body. A repeated attempt updates nothing, so its row's state is read, with a lock that an erasure waits for.
//
// A delivery that was cancelled during the attempt stays cancelled, unless the partner accepted it.
const newerResend = `delivery.deferred_reason = 'resend' and delivery.deferred_at is distinct from outcome.deferred_at`
const staysCancelled = "delivery.state = 'cancelled' and outcome.state <> 'delivered'"
const staysDead = "delivery.state = 'dead' and outcome.state <> 'delivered'"
const isOver = `delivery.state = 'delivered' and delivery.next_attempt_at is null
                and (delivery.deferred_at = outcome.deferred_at) is not true`
const keepsSchedule = `(delivery.state in ('erased', 'cancelled') or (${staysDead}) or (${isOver}) or (${newerResend}))`
const statement = `
with outcome as (
  select *, to_timestamp(started_at_ms / 1000) as started_at,
         now() + delay_ms * interval '1 millisecond' as next_attempt_at,
         now() - elapsed_ms * interval '1 millisecond' as period_started_at,
         to_timestamp(deferred_at_ms / 1000) as deferred_at
    from unnest(
      $1::uuid[], $2::int[], $3::float8[], $4::float8[], $5::float8[], $6::float8[], $7::float8[], $8::float8[],
      $9::text[], $10::int[], $11::text[], $12::text[], $13::text[], $14::bytea[], $15::text[], $16::float8[],
      $17::int[], $18::float8[], $19::float8[], $20::text[], $21::text[])
    as t (delivery_id, number, started_at_ms, duration_ms, lookup_ms, connect_ms, tls_ms, first_byte_ms, ip,
          status, error, detail, secret_id, response_excerpt, state, delay_ms, failures, elapsed_ms, deferred_at_ms, url, request_headers)
), updated as (
  update delivery
     set attempts = greatest(delivery.attempts, outcome.number),
         state = case when delivery.state in ('delivered', 'erased') then delivery.state
                      when ${staysCancelled} or ${staysDead} then delivery.state
                      when outcome.state <> 'delivered' and (${newerResend}) then delivery.state
                      else outcome.state::delivery_state end,
         finished_at = case when outcome.state = 'pending' or delivery.state = 'erased' or ${staysCancelled} or ${staysDead}
                                 or outcome.state = 'dead' and (delivery.state = 'delivered' or (${newerResend}))
                            then delivery.finished_at
                            else now() end,
         dead_reason = case when outcome.state <> 'delivered' then delivery.dead_reason end,
         last_error = coalesce(outcome.error, delivery.last_error),
         last_status = case when outcome.error is null then delivery.last_status else outcome.status end,
         next_attempt_at = case when ${keepsSchedule} then delivery.next_attempt_at else outcome.next_attempt_at end,
         failures = case when ${keepsSchedule} then delivery.failures else outcome.failures end,
         period_started_at = case when ${keepsSchedule} then delivery.period_started_at else outcome.period_started_at end,
         deferred_at = case when ${newerResend} then delivery.deferred_at end,
         deferred_reason = case when ${newerResend} then delivery.deferred_reason end,
         lease_expires_at = case when ${newerResend} and outcome.deferred_at is null then delivery.lease_expires_at end
    from outcome
   where delivery.id = outcome.delivery_id
     and (delivery.attempts < outcome.number
          or outcome.state = 'delivered' and delivery.state in ('pending', 'dead', 'cancelled')
          or delivery.deferred_at = outcome.deferred_at)
  returning delivery.id, delivery.state
)
insert into attempt (${columns}, response_excerpt, request_headers)
select ${columns}, case when state_now <> 'erased' then response_excerpt end,
       case when state_now <> 'erased' then request_headers end
  from outcome left join updated on updated.id = outcome.delivery_id
 cross join lateral (
   select coalesce(updated.state, (select state from delivery where id = outcome.delivery_id for share)) as state_now) as stored
on conflict do nothing`

/** A batch may contain a delivery only once, because `update` applies only one outcome to each row. */
export async function recordAttempts(sql: Sql, batch: readonly AttemptRecord[]): Promise<void> {
  const plain = (name: PlainColumn) => plainArray(batch.map((attempt) => attempt[name]))
  // Null instead of a list of nulls, to save building and parsing it.
  const rare = <T>(list: (T | null)[]) => (list.every((value) => value === null) ? null : list)
  const values = [
    plain("deliveryId"),
    plain("number"),
    plainArray(batch.map(({ startedAt }) => startedAt.getTime())),
    plain("durationMs"),
    plain("lookupMs"),
    plain("connectMs"),
    plain("tlsMs"),
    plain("firstByteMs"),
    batch.map(({ ip }) => ip),
    plain("status"),
    plain("error"),
    rare(batch.map(({ detail }) => detail)),
    batch.map(({ secretId }) => secretId),
    rare(batch.map(({ responseExcerpt }) => responseExcerpt)),
    plain("state"),
    plainArray(batch.map(({ scheduled }) => scheduled?.delayMs ?? null)),
    plainArray(batch.map(({ scheduled }) => scheduled?.failures ?? null)),
    plainArray(batch.map(({ scheduled }) => scheduled?.elapsedMs ?? null)),
    plainArray(batch.map(({ deferredAt }) => deferredAt?.getTime() ?? null)),
    batch.map(({ url }) => url),
    batch.map(({ requestHeaders }) => requestHeaders),
  ]
  await sql(statement, values, "record-attempts")
}
