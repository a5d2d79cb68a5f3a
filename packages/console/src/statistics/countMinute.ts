import { named, type Sql } from "@sitewire/database"
import { allSyncs } from "@sitewire/syncs"
import { bucketOf } from "./latency.ts"

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/**
 * Counts a minute. `acceptedTriggers`: how many were recorded since the minute before was counted.
 *
 * - The ranges of attempts and syncs are found in indexes of their start, that of deliveries in the index of the time at
 *   which they were stored. (Their ids contain the time of the event, which may have waited in Kafka.)
 * - Most attempts are the first ones of deliveries of the same minute, which are read once. Only the others need a
 *   search for their delivery: that of a null ends at once.
 * - Failed syncs are not counted as covering triggers, because the next sync covers the same ones.
 */
export async function countMinute(sql: Sql, startedAt: Date, acceptedTriggers: number): Promise<void> {
  const end = new Date(startedAt.getTime() + minuteMs)
  await sql(...named(statement, { start: startedAt, end, accepted: acceptedTriggers }))
}

/** Tens of millions would take longer than a statement may, and then no minute would be counted. */
const mostDeferred = 1_000_000

const statement = `
with recent as materialized (
  select id, channel_id from delivery where stored_at >= $start and stored_at < $end
),
created as (select channel_id, count(*)::int as n from recent group by 1),
tried as materialized (
  select attempt.delivery_id, recent.channel_id, attempt.error, attempt.duration_ms, attempt.started_at
    from attempt left join recent on recent.id = attempt.delivery_id
   where attempt.started_at >= $start and attempt.started_at < $end
),
attempted as materialized (
  select coalesce(tried.channel_id, delivery.channel_id) as channel_id, coalesce(error, 'delivered') as outcome,
         ${bucketOf("duration_ms")} as bucket, count(*)::int as n, max(started_at) as last_at,
         (array_agg(delivery_id order by started_at desc))[1] as last_delivery
    from tried left join delivery on delivery.id = case when tried.channel_id is null then tried.delivery_id end
   where coalesce(tried.channel_id, delivery.channel_id) is not null
   group by 1, 2, 3
),
last as materialized (
  select channel_id, (array_agg(last_delivery order by last_at desc) filter (where outcome = 'delivered'))[1] as success,
         (array_agg(last_delivery order by last_at desc) filter (where outcome <> 'delivered'))[1] as failure
    from attempted group by 1
),
waiting as materialized (
  select channel_id, deferred_reason::text as reason, count(*)::int as n
    from (select channel_id, deferred_reason from waiting_delivery
           where deferred_at is not null limit ${mostDeferred}) as deferred group by 1, 2
),
run as materialized (
  select outcome::text as outcome, count(*)::int as n,
         coalesce(sum(triggers) filter (where outcome in ('changed', 'unchanged')), 0)::int as triggers
    from ${allSyncs} sync where started_at >= $start and started_at < $end group by 1
),
created_in as (select channel_id, n from created union all select '', n from created),
attempted_in as materialized (
  select channel_id, outcome, bucket, n from attempted union all select '', outcome, bucket, n from attempted
),
waiting_in as (select channel_id, reason, n from waiting union all select '', reason, n from waiting),
counted as (
  select channel_id, jsonb_object_agg(kind, counts) as counts from (
    select channel_id, 'deliveries' as kind, to_jsonb(sum(n)) as counts from created_in group by 1
    union all
    select channel_id, 'attempts', jsonb_object_agg(outcome, n)
      from (select channel_id, outcome, sum(n) as n from attempted_in group by 1, 2) as attempts group by 1
    union all
    select channel_id, 'latency', jsonb_object_agg(bucket, n)
      from (select channel_id, bucket, sum(n) as n from attempted_in group by 1, 2) as latency group by 1
    union all
    select channel_id, 'deferred', jsonb_object_agg(reason, n)
      from (select channel_id, reason, sum(n) as n from waiting_in group by 1, 2) as deferred group by 1
    union all
    select '', 'all', '{}'
  ) as kinds group by 1
)
insert into statistic
  (channel_id, started_at, deliveries, attempts, latency, deferred, accepted_triggers, covered_triggers, syncs,
   last_success, last_failure)
select channel_id, $start::timestamptz, coalesce((counts ->> 'deliveries')::int, 0),
       coalesce(counts -> 'attempts', '{}'), coalesce(counts -> 'latency', '{}'),
       coalesce(counts -> 'deferred', '{}'), case channel_id when '' then $accepted::int end,
       case channel_id when '' then (select coalesce(sum(triggers), 0)::int from run) end,
       case channel_id when '' then (select coalesce(jsonb_object_agg(outcome, n), '{}') from run) end,
       last.success, last.failure
  from counted left join last using (channel_id)`
