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
  address: string | null
  status: number | null
  error: AttemptError | null
  detail: string | null
  secretId: string
  responseExcerpt: Buffer | null
  /** The delivery's state after this attempt. */
  state: "pending" | "delivered" | "dead"
  /** The next attempt, where a retry topic carries it: in how long, after how many failures, and how much of the retry period is over. */
  scheduled: { delayMs: number; failures: number; elapsedMs: number } | null
  /** The deferral for which the attempt was claimed; null where a record carried it. */
  deferredAt: Date | null
}

type PlainColumn = Exclude<
  keyof AttemptRecord,
  "startedAt" | "scheduled" | "deferredAt" | "address" | "detail" | "secretId" | "responseExcerpt"
>

const columns = `delivery_id, number, started_at, duration_ms, lookup_ms, connect_ms, tls_ms, first_byte_ms, address,
                 status, error, detail, secret_id`

// One statement for a batch. The delivery's row moves only forward: an attempt whose number is not above the row's was
// made twice after a crash; it is stored, and the row stays. There are two exceptions. If the partner accepted the repeated attempt, the
// delivery is delivered, however far the chain behind the failed one has come. And an attempt that was claimed ends its deferral.
// What a partner once accepted stays delivered, even if a later resend fails.
//
// An attempt's outcome ends whatever deferral the row has, except a resend that was accepted after the attempt was claimed: that one is
// still to be made, and the retry of this attempt is not.
//
// For a delivery that succeeds at its first attempt, every column from next_attempt_at on is null and stays null. No index then changes,
// and the update is heap-only.
//
// When the next attempt is due is by the database's clock, as is all that is compared with it.
//
// What was erased meanwhile stays erased, and so does what the partner responded, which may repeat what it was sent. The
// row is the lock between the two: the update waits for an erasure that is under way and then sees the row as that left
// it, so the excerpt is stored only as the updated row allows. An attempt that moves no row keeps no excerpt.
const resendWaits = `delivery.deferred_reason = 'resend' and delivery.deferred_at is distinct from made.deferred_at`
const keepsChain = `(delivery.state = 'erased' or (${resendWaits}))`
const statement = `
with made as (
  select *, to_timestamp(started_at_ms / 1000) as started_at,
         now() + delay_ms * interval '1 millisecond' as next_attempt_at,
         now() - elapsed_ms * interval '1 millisecond' as period_started_at,
         to_timestamp(deferred_at_ms / 1000) as deferred_at
    from unnest(
      $1::uuid[], $2::int[], $3::float8[], $4::float8[], $5::float8[], $6::float8[], $7::float8[], $8::float8[],
      $9::text[], $10::int[], $11::text[], $12::text[], $13::text[], $14::bytea[], $15::text[], $16::float8[],
      $17::int[], $18::float8[], $19::float8[])
    as t (delivery_id, number, started_at_ms, duration_ms, lookup_ms, connect_ms, tls_ms, first_byte_ms, address,
          status, error, detail, secret_id, response_excerpt, state, delay_ms, failures, elapsed_ms, deferred_at_ms)
), moved as (
  update delivery
     set attempts = greatest(delivery.attempts, made.number),
         state = case when delivery.state in ('delivered', 'erased') then delivery.state
                      when made.state <> 'delivered' and (${resendWaits}) then delivery.state
                      else made.state::delivery_state end,
         finished_at = case when made.state = 'pending' or delivery.state = 'erased'
                                 or made.state = 'dead' and (${resendWaits}) then delivery.finished_at
                            else now() end,
         next_attempt_at = case when ${keepsChain} then delivery.next_attempt_at else made.next_attempt_at end,
         failures = case when ${keepsChain} then delivery.failures else made.failures end,
         period_started_at = case when ${keepsChain} then delivery.period_started_at else made.period_started_at end,
         deferred_at = case when ${resendWaits} then delivery.deferred_at end,
         deferred_reason = case when ${resendWaits} then delivery.deferred_reason end,
         lease_expires_at = case when ${resendWaits} and made.deferred_at is null then delivery.lease_expires_at end
    from made
   where delivery.id = made.delivery_id
     and (delivery.attempts < made.number
          or made.state = 'delivered' and delivery.state in ('pending', 'dead')
          or delivery.deferred_at = made.deferred_at)
  returning delivery.id, delivery.state
)
insert into attempt (${columns}, response_excerpt)
select ${columns}, case when moved.state <> 'erased' then response_excerpt end
  from made left join moved on moved.id = made.delivery_id
on conflict do nothing`

/** Records attempts and their outcomes. A delivery may stand in a batch only once. */
export async function recordAttempts(sql: Sql, batch: readonly AttemptRecord[]): Promise<void> {
  const plain = (name: PlainColumn) => plainArray(batch.map((attempt) => attempt[name]))
  // Where none has one, which is nearly always, there is no list to be built and read.
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
    batch.map(({ address }) => address),
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
  ]
  await sql(statement, values, "record-attempts")
}
