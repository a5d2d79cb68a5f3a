import { plainArray, type Sql } from "@sitewire/database"

/** `ms`: for how long this process could not reach the channel since its last report. */
export type Unreachable = { channel: string; ms: number }

// Several dispatchers count the same time, so none adds more than has passed since the last one did. A report that is
// repeated because its response was lost adds nothing. What is to be added to a locked row is not counted: another dispatcher
// counts, or deliveries die later.
const count = `
with open as (
  select channel_id, ms from unnest($1::text[], $2::float8[]) as open (channel_id, ms) join channel on id = channel_id
), unlocked as materialized (
  select channel_id from unreachable_channel where channel_id = any ($1::text[]) order by channel_id for update skip locked
), counted as (
  update unreachable_channel as known
     set counted_ms = counted_ms + least(ms, greatest(0, extract(epoch from now() - seen_at) * 1000)), seen_at = now()
    from open
   where known.channel_id = any (array(select channel_id from unlocked)) and known.channel_id = open.channel_id
)
insert into unreachable_channel (channel_id, counted_ms, seen_at) select channel_id, ms, now() from open
 where channel_id <> all (array(select channel_id from unreachable_channel where channel_id = any ($1::text[])))
 order by channel_id
on conflict do nothing`

export async function reportUnreachable(sql: Sql, open: readonly Unreachable[]): Promise<void> {
  const values = [open.map(({ channel }) => channel), plainArray(open.map(({ ms }) => ms))]
  await sql(count, values, "count-unreachable")
}

/**
 * Deletes the rows of channels that nobody has counted for a day. A later row begins at zero, so the row stays while a deferred
 * delivery contains its count.
 */
export async function forgetUnreachable(sql: Sql): Promise<void> {
  await sql(`
    delete from unreachable_channel where channel_id = any (array(
      select channel_id from unreachable_channel as old
       where seen_at < now() - interval '1 day'
         and not exists (select from waiting_delivery where channel_id = old.channel_id and deferred_at is not null)
         for update skip locked))`)
}
