import type { Sql } from "@sitewire/database"
import { failingChannels } from "../channels/deadDeliveries.ts"

/** Channels that were attempted in the last 15 minutes, and those that fail. */
const count = `
with failing as materialized (${failingChannels}),
attempted as (
  select distinct channel_id from statistic
   where started_at > now() - interval '15 minutes' and channel_id <> ''
     and coalesce(last_success, last_failure) is not null
  union select channel_id from failing
)
select count(*)::int as channels, (count(*) filter (where channel_id not in (select channel_id from failing)))::int as succeeding
  from attempted join channel on channel.id = channel_id`

/** Whether the partners fail or we do. Null: no channel fails. */
export async function describeChannels(sql: Sql): Promise<string | null> {
  const [row] = await sql<{ channels: number; succeeding: number }>(count)
  const { channels, succeeding } = row ?? { channels: 0, succeeding: 0 }
  if (succeeding === channels) return null
  if (succeeding > 0) return `${succeeding} of ${channels} channels succeed now.`
  return channels === 1
    ? "No channel succeeds now: only one was attempted in the last 15 minutes."
    : "No channel succeeds now, so the cause is probably ours."
}
