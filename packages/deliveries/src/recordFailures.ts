/** A channel that failed so often in a row is listed as failing, so more failures are not counted. A dead delivery counts as this number of failures. */
export const listedFrom = 3

const isOver = "(known.ended_at is not null or coalesce(succeeded.at > known.since, false))"

/**
 * Steps of a statement that inserts attempts, which record from when to when a channel fails. `attempts` selects the inserted ones
 * with `channel_id`, `started_at`, `ended_at`, `error`, `status`, `detail` and `is_dead`.
 *
 * A row changes only with its channel's state, with the first failures and then every ten seconds, because thousands of attempts a
 * second must not wait for one row. The rows that exist are locked first, in the order of the channels, and a row that another
 * statement has just inserted is left to it, so that two statements cannot deadlock.
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
