import { type Columns, columnValues, defineStatement, type Sql, unnestColumns } from "@sitewire/database"
import { type AttemptRecord, attemptColumns, attemptEnd, madeColumns, recordFailures } from "./attempt.ts"
import { insertEnded } from "./ended.ts"
import { lockWaiting } from "./waiting.ts"

const columns: Columns<AttemptRecord> = {
  delivery_id: ["uuid", (made) => made.delivery_id],
  deferred_at_ms: ["float8", ({ claim }) => claim?.deferredAt?.getTime() ?? null],
  lease_expires_at_ms: ["float8", ({ claim }) => claim?.leaseExpiresAt.getTime() ?? null],
  ...madeColumns,
}

// What an attempt changes (docs/how-it-works.md draws all states and ways between them). A delivery that waits is pending,
// or was delivered and is resent.
//
// | before the attempt ends  | accepted  | failed                                                     |
// | ------------------------ | --------- | ---------------------------------------------------------- |
// | it waits, with our claim | delivered | scheduled again; at the end of its period dead, if pending |
// | it waits                 | delivered | unchanged: the attempt was repeated, or took too long      |
// | delivered                | delivered | unchanged, likewise                                        |
// | cancelled, dead          | delivered | unchanged: it ended meanwhile                              |
// | erased                   | erased    | erased                                                     |
//
// Whatever happens, the next attempt has a higher number.
//
// The rows of waiting_delivery and delivery are locked first, so the columns of `seen` are current.
const accepted = "seen.state = 'delivered'"
/** The attempt was the last one of its retry period. */
const ends = "(seen.state = 'dead' and seen.is_claimed and not seen.resend_waits)"
const endsWait =
  "(not seen.resend_waits and (seen.state = 'delivered' or seen.state = 'dead' and seen.is_claimed))"
const changesRow = `(delivery.attempts < seen.number
  or ${accepted} and delivery.state in ('pending', 'dead', 'cancelled')
  or seen.is_claimed)`

const ifScheduled = (column: string, value: string) =>
  `${column} = case when seen.is_claimed and not seen.resend_waits then ${value} else waiting_delivery.${column} end`

// The excerpt and the headers of an erased delivery may quote or identify its body. An erasure in progress has locked the rows.
const insertAttempts = defineStatement<{ id: string }>(
  "record-attempts",
  `
with outcome as (
  select *, to_timestamp(started_at_ms / 1000) as started_at from ${unnestColumns(columns)}
), ${lockWaiting("$delivery_id")}, stored as materialized (
  select id as delivery_id, channel_id, state as stored_state from delivery
   where id = any ($delivery_id::uuid[]) order by id for no key update skip locked
), skipped as materialized (
  select id from locked
   union
  select id from delivery where id = any ($delivery_id::uuid[]) and id <> all (array(select delivery_id from stored))
), seen as materialized (
  -- A resend was requested since the claim: the delivery stays deferred for it, and this attempt's retry is dropped.
  select outcome.*, stored_state, stored.channel_id,
         coalesce(lease_expires_at = to_timestamp(lease_expires_at_ms / 1000), false) as is_claimed,
         coalesce(deferred_reason = 'resend', false)
           and deferred_at is distinct from to_timestamp(deferred_at_ms / 1000) as resend_waits
    from outcome left join waiting using (delivery_id) left join stored using (delivery_id)
   where delivery_id <> all (array(select id from skipped))
), updated as (
  update delivery
     set attempts = greatest(delivery.attempts, seen.number),
         state = case when delivery.state <> 'erased' and ${accepted} then 'delivered'
                      when delivery.state = 'pending' and ${ends} then 'dead' else delivery.state end,
         finished_at = case when delivery.state <> 'erased' and ${accepted} or delivery.state = 'pending' and ${ends}
                            then now() else delivery.finished_at end,
         dead_reason = case when not ${accepted} then delivery.dead_reason end,
         last_error = coalesce(seen.error, delivery.last_error),
         last_status = case when seen.error is null then delivery.last_status else seen.status end
    from seen
   where delivery.id = any ($delivery_id::uuid[]) and delivery.id = seen.delivery_id and ${changesRow}
  returning seen.*, delivery.state as state_now, event_id, correlation
), ended as (
  delete from waiting_delivery using updated as seen
   where waiting_delivery.delivery_id = seen.delivery_id and ${endsWait}
), continued as (
  update waiting_delivery
     set attempts = greatest(waiting_delivery.attempts, seen.number),
         lease_expires_at = case when not is_claimed then lease_expires_at end,
         ${ifScheduled("next_attempt_at", "now() + seen.delay_ms * interval '1 millisecond'")},
         ${ifScheduled("failures", "seen.failures")},
         ${ifScheduled("period_started_at", "now() - seen.elapsed_ms * interval '1 millisecond'")},
         ${ifScheduled("deferred_at", "null")},
         ${ifScheduled("deferred_reason", "null")}
    from updated as seen
   where waiting_delivery.delivery_id = seen.delivery_id and not ${endsWait}
), ${insertEnded(`
  select delivery_id, event_id, channel_id, state_now, number, now() - elapsed_ms * interval '1 millisecond', error,
         status, correlation, attempt_traceparent
    from updated as seen
   where state_now = 'dead' and ${ends} or $publish_outcomes::boolean and state_now = 'delivered' and ${accepted}`)}, attempted as (
  insert into attempt (delivery_id, ${attemptColumns}, response_excerpt, request_headers)
  select delivery_id, ${attemptColumns}, case when stored_state <> 'erased' then response_excerpt end,
         case when stored_state <> 'erased' then request_headers end
    from seen
  on conflict do nothing
  returning delivery_id
), ${recordFailures(`select channel_id, started_at, ${attemptEnd} as ended_at, error, status, detail, state = 'dead' as is_dead
    from seen join attempted using (delivery_id) where channel_id is not null`)}
select id from skipped`,
)

/** A batch may contain a delivery only once. Returns the deliveries whose rows are locked. */
export async function recordAttempts(
  sql: Sql,
  batch: readonly AttemptRecord[],
  { publishOutcomes }: { publishOutcomes: boolean },
): Promise<string[]> {
  const skipped = await insertAttempts(sql, {
    publish_outcomes: publishOutcomes,
    ...columnValues(columns, batch),
  })
  return skipped.map(({ id }) => id)
}
