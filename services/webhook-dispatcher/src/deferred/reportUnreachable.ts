import { plainArray, type Sql } from "@sitewire/database"

/** `ms`: for how long this process could not reach the channel since its last report. */
export type Unreachable = { channel: string; ms: number }

// Several dispatchers count the same time, so none adds more than has passed since the last one did. A report that is
// repeated because its response was lost adds nothing.
const count = `
insert into unreachable_channel as known (channel_id, since, counted_ms, seen_at)
select id, now() - ms * interval '1 millisecond', ms, now()
  from unnest($1::text[], $2::float8[]) as open (channel_id, ms) join channel on channel.id = open.channel_id
 order by id
on conflict (channel_id) do update
   set counted_ms = known.counted_ms
         + least(excluded.counted_ms, greatest(0, extract(epoch from now() - known.seen_at) * 1000)),
       seen_at = now()`

export async function reportUnreachable(sql: Sql, open: readonly Unreachable[]): Promise<void> {
  const values = [open.map(({ channel }) => channel), plainArray(open.map(({ ms }) => ms))]
  await sql(count, values, "count-unreachable")
}

/** Deletes the rows of channels that nobody has counted for a day. A later row begins at zero. */
export async function forgetUnreachable(sql: Sql): Promise<void> {
  await sql("delete from unreachable_channel where seen_at < now() - interval '1 day'")
}
