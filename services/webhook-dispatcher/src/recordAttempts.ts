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
  nextAttemptAt: Date | null
}

type PlainColumn = Exclude<
  keyof AttemptRecord,
  "startedAt" | "nextAttemptAt" | "address" | "detail" | "secretId" | "responseExcerpt"
>

const columns = `delivery_id, number, started_at, duration_ms, lookup_ms, connect_ms, tls_ms, first_byte_ms, address,
                 status, error, detail, secret_id`

// One statement for a batch. The delivery's row moves only forward: an attempt whose number is not above the row's was
// made twice after a crash; it is logged, and the row stays. Unless the repeat was taken by the partner: then the
// delivery is delivered, however far a chain behind the failed one has come. What a partner once took stays delivered,
// even if a later resend fails.
//
// What was erased meanwhile stays erased, and so does what the partner answered, which may repeat what it was sent. The
// row is the lock between the two: the update waits for an erasure that is under way and then sees the row as that left
// it, so the excerpt is stored only as the updated row allows. An attempt that moves no row keeps no excerpt.
const statement = `
with made as (
  select *, to_timestamp(started_at_ms / 1000) as started_at,
         to_timestamp(next_attempt_at_ms / 1000) as next_attempt_at
    from unnest(
      $1::uuid[], $2::int[], $3::float8[], $4::float8[], $5::float8[], $6::float8[], $7::float8[], $8::float8[],
      $9::text[], $10::int[], $11::text[], $12::text[], $13::text[], $14::bytea[], $15::text[], $16::float8[])
    as t (delivery_id, number, started_at_ms, duration_ms, lookup_ms, connect_ms, tls_ms, first_byte_ms, address,
          status, error, detail, secret_id, response_excerpt, state, next_attempt_at_ms)
), moved as (
  update delivery
     set attempts = greatest(delivery.attempts, made.number),
         state = case when delivery.state in ('delivered', 'erased') then delivery.state
                      else made.state::delivery_state end,
         next_attempt_at = case when delivery.state = 'erased' then null else made.next_attempt_at end,
         finished_at = case when made.state = 'pending' or delivery.state = 'erased' then delivery.finished_at
                            else now() end
    from made
   where delivery.id = made.delivery_id
     and (delivery.attempts < made.number
          or made.state = 'delivered' and delivery.state in ('pending', 'dead'))
  returning delivery.id, delivery.state
)
insert into attempt (${columns}, response_excerpt)
select ${columns}, case when moved.state <> 'erased' then response_excerpt end
  from made left join moved on moved.id = made.delivery_id
on conflict do nothing`

/** Records attempts and their outcomes. A delivery may stand in a batch only once. */
export async function recordAttempts(sql: Sql, batch: readonly AttemptRecord[]): Promise<void> {
  const times = (name: "startedAt" | "nextAttemptAt") =>
    plainArray(batch.map((attempt) => attempt[name]?.getTime() ?? null))
  const plain = (name: PlainColumn) => plainArray(batch.map((attempt) => attempt[name]))
  // Where none has one, which is nearly always, there is no list to be built and read.
  const rare = <T>(list: (T | null)[]) => (list.every((value) => value === null) ? null : list)
  const values = [
    plain("deliveryId"),
    plain("number"),
    times("startedAt"),
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
    times("nextAttemptAt"),
  ]
  await sql(statement, values, "record-attempts")
}
