import type { AttemptError } from "@sitewire/contracts"
import type { Columns } from "@sitewire/database"
import type { Prisma } from "@sitewire/database/prisma"
import type { Traceparent } from "@sitewire/runtime"
import type { Claim } from "./delivery.ts"

/** A row of `attempt`, and what it changes. */
export type AttemptRecord = Omit<Prisma.AttemptModel, "error" | "response_excerpt"> & {
  error: AttemptError | null
  response_excerpt: Buffer | null
  state: "pending" | "delivered" | "dead"
  /** When the next attempt is due, after the outcome is recorded. */
  scheduled: { delayMs: number; failures: number } | null
  /** How much of the retry period is over. */
  elapsed_ms: number
  attempt_traceparent: Traceparent | null
  /** Null for the first attempt of a delivery that is stored with it. */
  claim: Claim | null
}

/** What statements get of each attempt. */
export const madeColumns: Columns<AttemptRecord> = {
  number: ["int", ({ number }) => number],
  started_at_ms: ["float8", (made) => made.started_at.getTime()],
  duration_ms: ["float8", (made) => made.duration_ms],
  lookup_ms: ["float8", (made) => made.lookup_ms],
  connect_ms: ["float8", (made) => made.connect_ms],
  tls_ms: ["float8", (made) => made.tls_ms],
  first_byte_ms: ["float8", (made) => made.first_byte_ms],
  ip: ["text", ({ ip }) => ip],
  status: ["int", ({ status }) => status],
  error: ["word", ({ error }) => error],
  detail: ["text", ({ detail }) => detail],
  secret_id: ["text", (made) => made.secret_id],
  url: ["text", ({ url }) => url],
  response_excerpt: ["bytea", (made) => made.response_excerpt],
  request_headers: ["text", (made) => made.request_headers],
  state: ["word", ({ state }) => state],
  delay_ms: ["float8", ({ scheduled }) => scheduled?.delayMs ?? null],
  failures: ["int", ({ scheduled }) => scheduled?.failures ?? null],
  elapsed_ms: ["float8", (made) => made.elapsed_ms],
  attempt_traceparent: ["text", (made) => made.attempt_traceparent],
}

/** Of the table `attempt`, without what may quote or identify a body. */
export const attemptColumns = `number, started_at, duration_ms, lookup_ms, connect_ms, tls_ms, first_byte_ms, ip, status,
  error, detail, secret_id, url`

export const attemptEnd = "started_at + duration_ms * interval '1 millisecond'"

/** With this number of failures in a row, a channel is listed as failing. No more are counted. A dead delivery counts as so many. */
export const listedFrom = 3

const isOver = "(known.ended_at is not null or coalesce(succeeded.at > known.since, false))"

/**
 * Steps of a statement that inserts attempts, which record from when to when a channel fails. `attempts` selects the inserted ones
 * with `channel_id`, `started_at`, `ended_at`, `error`, `status`, `detail` and `is_dead`.
 *
 * A row changes only with its channel's state, with the first failures and then every ten seconds, because thousands of attempts a
 * second must not wait for it. Rows are locked in the order of the channels, and one that another statement has just inserted is left
 * to it, so that two statements cannot deadlock.
 */
export const recordFailures = (attempts: string) => `made as materialized (
  ${attempts}
), succeeded as materialized (
  select channel_id, max(ended_at) as at from made where error is null group by channel_id
), failed as materialized (
  select channel_id, min(started_at) as since, max(ended_at) as at,
         least(${listedFrom}, count(*) + ${listedFrom} * count(*) filter (where is_dead))::int as failures,
         (array_agg(error order by ended_at desc))[1] as error, (array_agg(status order by ended_at desc))[1] as status,
         (array_agg(detail order by ended_at desc))[1] as detail
    from made left join succeeded using (channel_id)
   where error is not null and (succeeded.at is null or ended_at > succeeded.at)
   group by channel_id
), changing as materialized (
  select channel_id from channel_failure as known left join succeeded using (channel_id) left join failed using (channel_id)
   where channel_id = any (array(select channel_id from made))
     and (succeeded.at > known.since and known.ended_at is null
       or failed.at > known.ended_at
       or known.ended_at is null
          and (known.failures < ${listedFrom} or failed.at > known.last_failed_at + interval '10 seconds'))
   order by channel_id for update of known
), changed as (
  update channel_failure as known
     set since = case when failed.at is not null and ${isOver} then failed.since else known.since end,
         failures = case when failed.at is null then known.failures
                         else least(${listedFrom}, failed.failures + case when ${isOver} then 0 else known.failures end) end,
         last_failed_at = coalesce(failed.at, known.last_failed_at),
         last_error = coalesce(failed.error, known.last_error),
         last_status = case when failed.at is null then known.last_status else failed.status end,
         last_detail = case when failed.at is null then known.last_detail else failed.detail end,
         ended_at = case when failed.at is null then coalesce(known.ended_at, succeeded.at) end
    from changing left join succeeded using (channel_id) left join failed using (channel_id)
   where known.channel_id = changing.channel_id and (succeeded.at > known.since or failed.at is not null)
), began as (
  insert into channel_failure (channel_id, since, failures, last_failed_at, last_error, last_status, last_detail)
  select channel_id, since, failures, at, error, status, detail from failed
   where channel_id <> all (array(select channel_id from channel_failure where channel_id = any (array(select channel_id from made))))
   order by channel_id
  on conflict do nothing
)`
