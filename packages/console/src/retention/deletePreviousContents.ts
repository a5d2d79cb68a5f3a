import type { Sql } from "@sitewire/database"

/**
 * Deletes at most `limit` contents that were replaced before the time, and returns how many. Those of connections whose
 * sync is being finished are skipped: a lock on the window keeps `finishRuns` away from the others.
 */
export async function deletePreviousContents(
  sql: Sql,
  { replacedBefore, limit }: { replacedBefore: Date; limit: number },
): Promise<number> {
  return (await sql(statement, [replacedBefore, limit])).length
}

const statement = `
with old as materialized (
  select s.connection_id, s.previous_fence from snapshot s join sync_window w using (connection_id)
  where s.previous_fence is not null and s.stored_at < $1
  order by s.stored_at limit $2
  for update of w, s skip locked
),
chunks as (
  delete from snapshot_chunk c using old where c.connection_id = old.connection_id and c.fence = old.previous_fence
)
update snapshot s
set previous_fence = null, previous_sha256 = null, previous_type = null, previous_bytes = null, previous_stored_at = null
from old where s.connection_id = old.connection_id
returning 1 as one
`
