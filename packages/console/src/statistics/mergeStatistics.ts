import { named, type Sql } from "@sitewire/database"

/** Adds up the minutes of an hour or the hours of a day, for each channel and in total. Replaces an earlier result. */
export async function mergeStatistics(
  sql: Sql,
  { from, into, startedAt, endsAt }: { from: string; into: string; startedAt: Date; endsAt: Date },
): Promise<void> {
  await sql(...named(statement, { from, into, started_at: startedAt, ends_at: endsAt }))
}

const sumOf = (column: string) => `
  select channel_id, '${column}' as kind, jsonb_object_agg(key, n) as counts from (
    select channel_id, key, sum(value::int) as n from part, jsonb_each_text(${column}) group by 1, 2
  ) as ${column} group by 1`

const statement = `
with part as materialized (
  select channel_id, deliveries, attempts, latency, accepted_triggers, covered_triggers, syncs
    from statistic
   where interval = $from::statistic_interval and started_at >= $started_at and started_at < $ends_at
),
counted as (
  select channel_id, jsonb_object_agg(kind, counts) as counts
    from (${["attempts", "latency", "syncs"].map(sumOf).join(" union all ")}) as kinds
   group by 1
)
insert into statistic (interval, channel_id, started_at, deliveries, attempts, latency, accepted_triggers,
                       covered_triggers, syncs, counted_at)
select $into::statistic_interval, channel_id, $started_at, sum(deliveries)::int,
       coalesce(counts -> 'attempts', '{}'), coalesce(counts -> 'latency', '{}'),
       sum(accepted_triggers)::int, sum(covered_triggers)::int,
       case channel_id when '' then coalesce(counts -> 'syncs', '{}') end, now()
  from part left join counted using (channel_id)
 group by channel_id, counts
on conflict (interval, channel_id, started_at) do update
   set deliveries = excluded.deliveries, attempts = excluded.attempts, latency = excluded.latency,
       accepted_triggers = excluded.accepted_triggers, covered_triggers = excluded.covered_triggers, syncs = excluded.syncs, counted_at = excluded.counted_at`
