import type { Sql } from "@sitewire/database"

// Jumps from channel to channel in the index of waiting deliveries, so the cost grows with the number of channels and not of
// deliveries.
const statement = `
with recursive waiting (channel_id) as (
  (select channel_id from waiting_delivery order by channel_id limit 1)
  union all
  select next.channel_id
    from waiting cross join lateral (
      select channel_id from waiting_delivery where channel_id > waiting.channel_id order by channel_id limit 1) as next
)
select id from waiting join deleted_channel on id = channel_id`

/** Deleted channels that have deliveries that wait. */
export async function findDeletedChannels(sql: Sql): Promise<string[]> {
  const rows = await sql<{ id: string }>(statement, [], "find-deleted-channels")
  return rows.map(({ id }) => id)
}
